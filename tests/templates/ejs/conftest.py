import pytest

from lorewright.templates.ejs import Sandbox


@pytest.fixture(scope="session")
def sandbox():
    """One for all tests of a process; each generation has its own contexts."""
    with Sandbox() as sandbox:
        yield sandbox
