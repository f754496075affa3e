import pytest

from lorewright import make_tools
from lorewright.templates.ejs import Sandbox


@pytest.fixture(scope="session")
def sandbox():
    """One for all tests of a process; each generation has its own contexts."""
    with Sandbox() as sandbox:
        yield sandbox


@pytest.fixture(scope="session")
def tools(sandbox):
    """The usual tools, with a sandbox."""
    return make_tools(sandbox=sandbox)
