"""Where this program keeps what belongs to the person who runs it."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["data_folder"]


def data_folder() -> Path:
    """The folder `LOREWRIGHT_DATA_DIR`, else where the system keeps such things for the user. It may not be there yet."""
    folder = os.environ.get("LOREWRIGHT_DATA_DIR")
    if not folder:
        from platformdirs import user_data_dir

        folder = user_data_dir("lorewright", appauthor=False)
    return Path(folder)
