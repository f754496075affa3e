"""`python -m tests.conformance PATH…`: run case files of any suite (see docs/reference/conformance.md)."""

from __future__ import annotations

import argparse
import sys

from lorewright.conformance import main

parser = argparse.ArgumentParser(prog="python -m tests.conformance", description="Run conformance cases.")
parser.add_argument("paths", nargs="+", metavar="PATH", help="case files or folders of them")
parser.add_argument("--engine", choices=("core", "fast"), default="fast", help="which matcher (default: fast)")
parser.add_argument("--list", action="store_true", help="print the failing ids with a diff")

if __name__ == "__main__":
    arguments = parser.parse_args()
    sys.exit(main(arguments.paths, engine=arguments.engine, list_failures=arguments.list))
