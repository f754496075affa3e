"""Where the files of the shared corpus are."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def shared() -> Path:
    """The corpus of real files: `LOREWRIGHT_SHARED`, or `shared` beside the repository."""
    folder = Path(os.environ.get("LOREWRIGHT_SHARED") or ROOT.parent / "shared")
    if not (folder / "real-files").is_dir():
        pytest.skip(f"no real files at {folder}; set LOREWRIGHT_SHARED to the folder that holds `real-files`")
    return folder
