"""Every code that a program may meet, of a reason or of a report, stands on the page that explains them."""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from lorewright.core import code_reasons, decorator_reasons, reasons
from lorewright.core.layout import reasons as layout_reasons

ROOT = Path(__file__).resolve().parent.parent
SOURCES = sorted((ROOT / "src").rglob("*.py"))
PAGE = ROOT / "docs" / "reference" / "reasons.md"
PROFILES = ROOT / "docs" / "reference" / "profiles.md"
CODE = re.compile(r"(?=.*_)[a-z]+(_[a-z0-9]+)*_?")
CASE = re.compile(r"`((native-)?[a-z]+(?:-[a-z]+)*-\d{3})`")


def reason_codes() -> list[str]:
    modules = (reasons, decorator_reasons, code_reasons, layout_reasons)
    return [
        kind.code for module in modules for name in module.__all__ if hasattr(kind := getattr(module, name), "code")
    ]


# --- report codes: the arguments of all parameters that are called `code`


class Codes(ast.NodeVisitor):
    """The texts that can be given for a parameter `code` in one file."""

    def __init__(self, tree: ast.Module, places: dict[str, int]) -> None:
        self.tree = tree
        self.places = places
        self.found: set[str] = set()

    def visit_Call(self, call: ast.Call) -> None:
        function = call.func
        name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
        place = self.places.get(name)
        if place is not None and place < len(call.args):
            self.found |= self.texts(call.args[place])
        for keyword in call.keywords:
            if keyword.arg == "code":
                self.found |= self.texts(keyword.value)
        self.generic_visit(call)

    def texts(self, value: ast.expr) -> set[str]:
        """The codes in an expression; a name or a call leads to what it can be in this file."""
        if isinstance(value, ast.Constant):
            return {value.value} if isinstance(value.value, str) and CODE.fullmatch(value.value) else set()
        if isinstance(value, ast.JoinedStr):
            return self.texts(value.values[0])
        if isinstance(value, ast.IfExp):
            return self.texts(value.body) | self.texts(value.orelse)
        if isinstance(value, ast.Name):
            return {code for given in self.assigned(value.id) for code in all_codes(given)}
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
            return {code for given in self.returned(value.func.id) for code in all_codes(given)}
        return set()

    def assigned(self, name: str) -> Iterator[ast.AST]:
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Assign) and any(
                isinstance(target, ast.Name) and target.id == name
                for top in node.targets
                for target in (top.elts if isinstance(top, ast.Tuple) else [top])
            ):
                yield node.value

    def returned(self, name: str) -> Iterator[ast.AST]:
        for node in ast.walk(self.tree):
            if isinstance(node, ast.FunctionDef) and node.name == name:
                yield from (inner.value for inner in ast.walk(node) if isinstance(inner, ast.Return) and inner.value)


def all_codes(tree: ast.AST) -> set[str]:
    texts = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str))
    return {text for text in texts if CODE.fullmatch(text)}


def functions_with_codes(trees: list[ast.Module]) -> tuple[dict[str, int], set[str]]:
    """By function: the place of its parameter `code`; and the defaults of such parameters."""
    places: dict[str, int] = {}
    defaults: set[str] = set()
    for tree in trees:
        for node in ast.walk(tree):
            if not isinstance(node, ast.FunctionDef):
                continue
            names = [argument.arg for argument in node.args.args if argument.arg not in {"self", "cls"}]
            if "code" in names:
                places[node.name] = names.index("code")
                for default in node.args.defaults:
                    defaults |= all_codes(default)
    return places, defaults


def report_codes() -> set[str]:
    trees = [ast.parse(path.read_text("utf-8")) for path in SOURCES]
    places, found = functions_with_codes(trees)
    for tree in trees:
        codes = Codes(tree, places)
        codes.visit(tree)
        found |= codes.found
    return found - set(reason_codes()) | {"regex_timeout"}


def is_explained(code: str, text: str) -> bool:
    """A code that ends in `_` is the start of several."""
    return f"`{code}" in text if code.endswith("_") else f"`{code}`" in text


def test_reasons_are_explained():
    text = PAGE.read_text("utf-8")

    assert [code for code in reason_codes() if not is_explained(code, text)] == []


def test_reports_are_explained():
    text = PAGE.read_text("utf-8")

    assert sorted(code for code in report_codes() if not is_explained(code, text)) == []


def test_codes_are_found_in_every_form():
    found = report_codes()

    assert {"book_twice", "chat_truncated", "bool_as_string", "png_text_limit", "png_chunk_skipped"} <= found


# --- the cases that the page of profiles names


def case_ids(suite: str) -> set[str]:
    paths = (ROOT / "conformance" / suite).glob("*.json")
    return {case["id"] for path in paths for case in json.loads(path.read_text("utf-8"))["cases"]}


@pytest.mark.parametrize("suite", ["native", "world-info"])
def test_named_cases_exist(suite):
    named = {name for name, native in CASE.findall(PROFILES.read_text("utf-8")) if bool(native) is (suite == "native")}

    assert named
    assert sorted(named - case_ids(suite)) == []


def test_a_repair_names_its_case():
    rows = [line.split(" | ") for line in PROFILES.read_text("utf-8").splitlines() if " | repaired" in line]

    assert rows
    for row in rows:
        assert "`native-" in row[-1], row[0]
