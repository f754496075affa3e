"""The command as a process: streams, encodings, exit codes."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from lorewright import __version__

CLEAN = {name: value for name, value in os.environ.items() if name not in {"PYTHONUTF8", "PYTHONIOENCODING"}}


def start(*words, **environment):
    return subprocess.run(
        [sys.executable, "-m", "lorewright", *map(str, words)],
        capture_output=True,
        env=CLEAN | {"NO_COLOR": "1"} | environment,
        check=False,
    )


@pytest.fixture
def sample(shop):
    texts = {"key": ["dragon"], "content": "Der Drache, 龙, \ud83d."}
    return shop.book(texts), shop.chat()


def test_version():
    done = start("--version")

    assert (done.returncode, done.stdout.decode().strip()) == (0, __version__)


def test_without_words_it_shows_its_help():
    done = start()

    assert b"weave" in done.stdout + done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "cp1252", "gb18030"])
def test_every_encoding_of_the_output(sample, encoding):
    book, chat = sample
    for words in (["weave", book, "--chat", chat], ["explain", book, "--all", "--chat", chat], ["check", book]):
        done = start(*words, PYTHONIOENCODING=encoding)
        assert done.returncode == 0, done.stderr
        assert done.stderr == b""


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "cp1252"])
def test_json_is_utf8_in_every_encoding(sample, encoding):
    book, chat = sample
    done = start("weave", book, "--chat", chat, "--json", PYTHONIOENCODING=encoding)

    assert json.loads(done.stdout.decode("utf-8"))["positions"]["before"] == "Der Drache, 龙, \ud83d."


def test_errors_go_to_the_error_stream(sample):
    done = start("weave", "no\x1b such.json", "--chat", sample[1])

    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"Error: ")
    assert b"\x1b" not in done.stderr


def test_findings_are_exit_code_1(shop):
    assert start("check", shop.book({"content": "x"})).returncode == 1
    assert start("check", shop.book({"content": "x", "constant": True})).returncode == 0


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such pipes")
def test_a_reader_that_leaves_early_is_fine(shop):
    book = shop.book(*({"constant": True, "content": "word " * 400} for _ in range(300)))
    done = subprocess.run(
        [
            "sh",
            "-c",
            'exec 3>&1; { "$0" -m lorewright weave "$1" --chat "$2" --context-tokens 9000000 --json; echo $? >&3; } | head -c 10 >/dev/null',
            sys.executable,
            book,
            shop.chat(),
        ],
        capture_output=True,
        env=CLEAN,
        check=False,
    )

    assert done.stderr == b""
    assert done.stdout.strip() == b"0"


COMMANDS = [["--help"], ["weave"], ["weave", "--json"], ["explain", "--all"], ["explain", "--all", "--json"]]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_an_output_that_takes_nothing(sample, words):
    book, chat = sample
    given = [] if words == ["--help"] else [book, "--chat", chat]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "lorewright", *words[:1], *given, *words[1:]],
            stdout=full,
            stderr=subprocess.PIPE,
            env=CLEAN,
            check=False,
        )

    assert done.returncode == 2
    assert done.stderr.decode().startswith("Error: The output cannot be written: ")
    assert done.stderr.count(b"\n") == 1


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_without_an_output(sample, words):
    book, chat = sample
    given = [] if words == ["--help"] else [book, "--chat", chat]
    script = "import sys; sys.stdout = None; from lorewright.cli import main; sys.exit(main(sys.argv[1:]))"
    done = subprocess.run(
        [sys.executable, "-c", script, *words[:1], *given, *words[1:]], capture_output=True, env=CLEAN, check=False
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_errors_do_not_go_to_the_output(tmp_path):
    script = "import sys; sys.stderr = None; from lorewright.cli import main; sys.exit(main(sys.argv[1:]))"
    words = ["check", str(tmp_path / "missing.json")]
    done = subprocess.run([sys.executable, "-c", script, *words], capture_output=True, env=CLEAN, check=False)

    assert (done.returncode, done.stdout) == (2, b"")
