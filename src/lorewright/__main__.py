"""`python -m lorewright` is the command `lorewright`."""

import sys

from lorewright.cli import main

if __name__ == "__main__":
    sys.exit(main())
