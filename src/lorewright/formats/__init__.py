"""Bytes <-> model: one file per format, with a ledger of what was read. Foreign field names stop here."""
