"""Finds what does not belong into `core/`: a look at the outside world, or a helper that could take one."""

import ast
from collections.abc import Iterator

# Modules whose answers depend on their arguments alone. A module enters this list only if that is true of it.
PURE_MODULES = frozenset(
    """
    __future__ abc array base64 binascii bisect collections contextlib copy dataclasses decimal difflib enum fractions functools
    graphlib hashlib heapq html itertools json math numbers operator re string struct textwrap types typing unicodedata
    zlib datetime
    """.split()
)
OWN_MODULES = ("lorewright.core", "lorewright.errors")

IMPURE_MODULES = frozenset(
    """
    asyncio io locale logging multiprocessing os pathlib platform random secrets shutil signal socket ssl subprocess sys
    tempfile threading time urllib uuid warnings
    """.split()
)
IMPURE_CALLS = frozenset("__import__ breakpoint compile eval exec exit help input open print quit".split())
CLOCK_READERS = frozenset("now today utcnow".split())
ENVIRONMENT_READERS = frozenset("environ environb getenv putenv".split())


def find_impurities(source: str, module: str) -> Iterator[tuple[int, str]]:
    """Every impurity of a module as (line, what it is)."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names):
                for name in names:
                    if not _is_allowed(name.name):
                        yield node.lineno, f"imports `{name.name}`"
            case ast.ImportFrom(names=names):
                origin = _absolute(node, module)
                for name in names:
                    if not (_is_allowed(origin) or _is_allowed(f"{origin}.{name.name}")):
                        yield node.lineno, f"imports `{name.name}` from `{origin}`"
            case ast.Name(id=name, ctx=ast.Load()) if name in IMPURE_CALLS:
                yield node.lineno, f"uses `{name}`"
            case ast.Attribute(value=ast.Name(id=base), attr=name) if base in IMPURE_MODULES:
                yield node.lineno, f"uses `{base}.{name}`"
            case ast.Attribute(attr=name) if name in ENVIRONMENT_READERS:
                yield node.lineno, f"reads the environment through `{name}`"
            case ast.Attribute(attr=name, value=value) if name in CLOCK_READERS and _is_calendar(value):
                yield node.lineno, f"reads the clock through `{name}`"


def imported_modules(source: str, module: str) -> Iterator[tuple[int, str]]:
    """Every module that a module imports, as (line, absolute name); `from a import b` counts as `a.b`."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names):
                yield from ((node.lineno, name.name) for name in names)
            case ast.ImportFrom(names=names):
                origin = _absolute(node, module)
                yield from ((node.lineno, f"{origin}.{name.name}") for name in names)


def _absolute(node: ast.ImportFrom, module: str) -> str:
    if not node.level:
        return node.module or ""
    package = module.split(".")[: -node.level]
    return ".".join([*package, *([node.module] if node.module else [])])


def _is_allowed(name: str) -> bool:
    if any(name == own or name.startswith(own + ".") for own in OWN_MODULES):
        return True
    return name.split(".", maxsplit=1)[0] in PURE_MODULES


def _is_calendar(value: ast.expr) -> bool:
    return (isinstance(value, ast.Name) and value.id in {"date", "datetime"}) or (
        isinstance(value, ast.Attribute) and value.attr in {"date", "datetime"}
    )
