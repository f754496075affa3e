"""What is committed: nothing of one machine or one registry, and papers in order."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def tracked() -> list[str]:
    done = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=False
    )
    if done.returncode:
        pytest.skip("not a git checkout: nothing is committed here")
    return [name for name in done.stdout.split("\0") if name and (ROOT / name).is_file()]


def pieces(*parts: str) -> str:
    """Joins what must not stand in this file in one piece."""
    return "".join(parts)


REGISTRIES = [
    pieces("py", "pi.org"),
    pieces("py", "pi.python.org"),
    pieces("python", "hosted.org"),
    pieces("registry.npm", "js.org"),
    pieces("registry.yarn", "pkg.com"),
    pieces("deb.deb", "ian.org"),
    pieces("cra", "tes.io"),
    pieces("proxy.go", "lang.org"),
    pieces("conda.ana", "conda.org"),
]
# A path is one only where a path can begin, so that `frame/work/` is none.
MACHINE_PATHS = [rf"(?<![\w.~-])/{name}/" for name in ("work", "opt", "root")]
WORKPLACE = [pieces("/", r"\.library"), pieces("issues", " show"), pieces("PIP_FIND", "_LINKS"), pieces("file:", "///")]


FORBIDDEN = "|".join([*map(re.escape, REGISTRIES), *MACHINE_PATHS, *WORKPLACE])


def test_no_file_names_a_registry_or_this_machine():
    found = []
    for name in tracked():
        content = (ROOT / name).read_bytes()
        for hit in re.finditer(FORBIDDEN.encode(), content):
            line = content.count(b"\n", 0, hit.start()) + 1
            found.append(f"{name}:{line} {hit[0].decode()}")

    assert found == []


@pytest.mark.parametrize(
    "line",
    [
        pieces("https://py", "pi.org/simple"),
        pieces("see /wo", "rk/main"),
        pieces("`/op", "t/wheels`"),
        pieces("--find-links /op", "t/wheels"),
        pieces("/ro", "ot/.cache"),
    ],
)
def test_the_pattern_sees(line):
    assert re.search(FORBIDDEN, line)


@pytest.mark.parametrize("path", sorted((ROOT / "requirements").glob("*.txt")), ids=lambda path: path.name)
def test_locks_hold_pins_and_hashes_only(path):
    entries = re.split(r"\n(?=\S)", re.sub(r"(?m)^\s*#.*\n?", "", path.read_text("utf-8")).strip())

    assert entries
    for entry in entries:
        assert re.match(r"[a-z0-9._-]+==\S+( ; [^\\]+)?( \\\n +--hash=sha256:[0-9a-f]{64})+$", entry), entry


def test_the_license_is_mit():
    text = (ROOT / "LICENSE").read_text("utf-8")

    assert text.startswith("MIT License\n")
    assert "to deal\nin the Software without restriction" in text
    assert 'license = "MIT"' in (ROOT / "pyproject.toml").read_text("utf-8")


def test_changelog_fragments_have_their_form():
    names = [path.name for path in (ROOT / "changelog.d").iterdir() if path.name != "README.md"]
    wrong = [
        name for name in names if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*\.(added|changed|fixed|removed)\.md", name)
    ]

    assert wrong == [], "changelog.d/README.md says how fragments are named"


def test_changelog_fragments_say_something():
    for path in (ROOT / "changelog.d").glob("*.*.md"):
        assert len(path.read_text("utf-8").split()) >= 4, path.name


# --- the plan


def plan_lines() -> dict[str, list[str]]:
    """The lines of each list of the plan, by part and list (`1/12 Build`)."""
    lists: dict[str, list[str]] = {}
    part = heading = ""
    for line in (ROOT / "docs" / "plan.md").read_text("utf-8").splitlines():
        if line.startswith("## "):
            part, heading = line.split()[1], ""
        elif line.startswith("### "):
            heading = line.removeprefix("### ")
        elif line.startswith(("- ", "* ")):
            lists.setdefault(f"{part} {heading}", []).append(line)
    return lists


def test_every_line_of_the_plan_has_a_box():
    for heading, lines in plan_lines().items():
        for line in lines:
            assert re.match(r"- \[[ x]\] \S", line), f"{heading}: {line}"


@pytest.mark.parametrize(
    ("heading", "count"),
    [
        ("1/12 Build", 8),
        ("1/12 Speed and memory", 5),
        ("1/12 Bad input", 1),
        ("1/12 Done when", 6),
        ("2/12 Build", 7),
        ("2/12 Speed", 1),
        ("2/12 Done when", 4),
        ("4/12 Build", 7),
        ("4/12 Speed and limits", 2),
        ("4/12 Done when", 6),
    ],
)
def test_the_plan_lists_every_item_of_the_issue(heading, count):
    assert len(plan_lines().get(heading, [])) == count


@pytest.mark.parametrize(("part", "count"), [("1/12", 8), ("2/12", 7), ("4/12", 7)])
def test_the_items_to_build_are_numbered(part, count):
    lines = plan_lines()[f"{part} Build"]
    numbers = [found[1] for line in lines if (found := re.match(r"- \[[ x]\] (\d+)\.", line))]

    assert numbers == [str(number) for number in range(1, count + 1)]


def test_the_build_script_is_strict_and_runs_every_check():
    path = ROOT / ".ci" / "run"
    text = path.read_text("utf-8")

    assert path.stat().st_mode & 0o111, "not executable"
    assert "set -euo pipefail" in text
    assert text.rstrip().endswith("make check")


def test_no_test_reads_the_clock_on_the_wall():
    clock = re.compile(pieces("perf_", "counter|mono", r"tonic\(|time", r"\.time\(|ITIMER", "_REAL"))
    names = [name for name in tracked() if name.startswith("tests/") and name.endswith(".py")]

    found = [name for name in names if clock.search((ROOT / name).read_text("utf-8"))]

    assert sorted(found) == ["tests/effort.py", "tests/test_architecture.py"], "use tests/effort.py"
