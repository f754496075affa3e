"""Find case files, run them, say how it went."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from lorewright.conformance.formats import ENDING, case_of
from lorewright.conformance.outcome import Difference, Outcome
from lorewright.conformance.suites import NOT_BUILT, SUITES, find_suite
from lorewright.core.protocols import Tools
from lorewright.errors import CaseError, LorewrightError
from lorewright.toolbox import Engine, make_tools

__all__ = ["main", "run_paths"]

_SHOWN_DIFFERENCES = 5


def run_paths(paths: Sequence[str], tools: Tools) -> Iterator[Outcome | str]:
    """The outcome of every case below the paths, and a line of text for every file of a suite that is not built."""
    for path in _case_files(paths):
        yield from _run_file(path, tools)


def main(paths: Sequence[str], *, engine: Engine = "fast", list_failures: bool = False, as_json: bool = False) -> int:
    """Run and print; the last line is `N passed, N failed` (with `as_json` one JSON object instead of all lines).

    Returns 0 if cases ran and all passed, 2 if a path does not exist, else 1.
    """
    said: list[str] = []
    failures: list[Outcome] = []
    passed = failed = code = 0

    def say(line: str) -> None:
        said.append(line)
        if not as_json:
            print(line)

    try:
        for outcome in run_paths(paths, make_tools(engine=engine)):
            if isinstance(outcome, str):
                say(outcome)
            elif outcome.passed:
                passed += 1
            else:
                failed += 1
                failures.append(outcome)
                if list_failures and not as_json:
                    print(_shown(outcome))
    except LorewrightError as error:
        say(error.message)
        failed += 1
        code = 2
    if not passed and not failed:
        say(f"No case was run. Looked in: {', '.join(paths) or 'nothing'}")
    if as_json:
        print(json.dumps({"passed": passed, "failed": failed, "notes": said, "failures": [_data(f) for f in failures]}))
    else:
        print(f"{passed} passed, {failed} failed")
    return code or (0 if passed and not failed else 1)


def _data(outcome: Outcome) -> dict[str, object]:
    differences = [
        {"where": difference.where, "expected": repr(difference.expected), "actual": repr(difference.actual)}
        for difference in outcome.differences
    ]
    return {"suite": outcome.suite, "file": outcome.file, "case": outcome.case, "differences": differences}


def _case_files(paths: Sequence[str]) -> Iterator[Path]:
    for name in paths:
        path = Path(name)
        if not path.exists():
            raise CaseError(f"`{name}` does not exist.", path=name)
        if path.is_dir():
            yield from _in_folder(path)
        else:
            yield case_of(path) or path


def _in_folder(folder: Path) -> Iterator[Path]:
    """The case files below a folder; an input of a case about formats is no case itself."""
    paths = sorted(folder.rglob("*.json"))
    with_inputs = {path.parent for path in paths if path.name.endswith(ENDING)}
    for path in paths:
        if path.parent not in with_inputs or path.name.endswith(ENDING):
            yield path


def _run_file(path: Path, tools: Tools) -> Iterator[Outcome | str]:
    try:
        document = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        document = error
    suite = find_suite(document, path)
    if suite is None:
        problem = f"{type(document).__name__}: {document}" if isinstance(document, Exception) else "unknown suite"
        yield Outcome("?", str(path), path.name, (Difference("file", "a case file", problem),))
        return
    if suite not in SUITES:
        part = next(folder for folder, suites in NOT_BUILT.items() if suite == folder or suite in suites)
        yield f"{path}: not built (suite `{suite}` of `{part}`)"
        return
    ran = False
    try:
        for outcome in SUITES[suite](document, suite, str(path), tools):
            ran = True
            yield outcome
    except (LorewrightError, KeyError, TypeError, ValueError) as error:
        yield Outcome(suite, str(path), path.name, (Difference("file", "a readable case", repr(error)),))
        return
    if not ran:
        yield Outcome(suite, str(path), path.name, (Difference("cases", "at least one case", 0),))


def _shown(outcome: Outcome) -> str:
    lines = [f"FAILED {outcome.case}  ({outcome.suite}, {outcome.file})"]
    lines += [f"    {difference}" for difference in outcome.differences[:_SHOWN_DIFFERENCES]]
    if len(outcome.differences) > _SHOWN_DIFFERENCES:
        lines.append(f"    and {len(outcome.differences) - _SHOWN_DIFFERENCES} more differences")
    return "\n".join(lines)
