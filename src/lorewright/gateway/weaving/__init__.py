"""Weaving with a memory: a route's files, a ledger for each owner and route, and what is read of a reply."""
