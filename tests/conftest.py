"""What all tests share: how long property tests look for a counterexample."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

# On the build machine the examples are the same every time, so that a red build can be repeated anywhere.
settings.register_profile("local", deadline=None, max_examples=60)
settings.register_profile("ci", deadline=None, max_examples=100, derandomize=True, print_blob=True)
settings.register_profile("fuzz", deadline=None, max_examples=20_000, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "local"))

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def shared() -> Path:
    """The corpus of real files: `LOREWRIGHT_SHARED`, or `shared` beside the repository."""
    folder = Path(os.environ.get("LOREWRIGHT_SHARED") or ROOT.parent / "shared")
    if not (folder / "real-files").is_dir():
        pytest.skip(f"no real files at {folder}; set LOREWRIGHT_SHARED to the folder that holds `real-files`")
    return folder


@pytest.fixture(autouse=True, scope="session")
def _own_data_folder(tmp_path_factory):
    """No test looks at, or writes, what the person who runs it has trusted."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LOREWRIGHT_DATA_DIR", str(tmp_path_factory.mktemp("data")))
        yield
