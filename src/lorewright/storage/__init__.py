"""Where things are kept: SQLite in one file (`storage/sqlite.py`); values as bytes (`storage/image.py`)."""
