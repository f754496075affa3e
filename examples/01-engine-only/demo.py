"""The engine on a small sample world: what enters the prompt, and why. Run it with `make demo`."""

import contextlib
import io
import json
import os
import shlex
import sys
import tempfile
from pathlib import Path

from lorewright.cli import main

HERE = Path(__file__).resolve().parent
FILES = [
    "lantern-isles.json",
    "--chat",
    "chat.jsonl",
    "--settings",
    "settings.json",
    "--persona",
    "@persona.txt",
    "--seed",
    "tide",
]

OWN_FILES = """\
Now with your own files. SillyTavern keeps books in data/default-user/worlds, chats in
data/default-user/chats and characters in data/default-user/characters.

  .venv/bin/lorewright weave BOOK.json --chat CHAT.jsonl
  .venv/bin/lorewright explain BOOK.json --all --chat CHAT.jsonl
  .venv/bin/lorewright explain BOOK.json "TITLE OF AN ENTRY" --chat CHAT.jsonl
  .venv/bin/lorewright weave BOOK.json --card CHARACTER.png --chat CHAT.jsonl --profile sillytavern
  .venv/bin/lorewright check BOOK.json
"""


def run(title: str, *words: str) -> None:
    """Print a command and what it prints."""
    print(f"--- {title}\n\n$ lorewright {shlex.join(words)}\n", flush=True)
    if code := main(words):
        sys.exit(code)
    print(flush=True)


def run_next_turn(folder: Path) -> None:
    """Remember the first turn, add two messages, and look at what stays."""
    with Path("chat.jsonl").open(encoding="utf-8") as chat:
        lines = chat.read().splitlines()
    for name, text in (("Maren", "Up, then. Mind the ninth step."), ("Wen", "I am right behind you.")):
        lines.append(json.dumps({"name": name, "is_user": name == "Wen", "is_system": False, "mes": text}))
    (folder / "later.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    book = str(HERE / "lantern-isles.json")
    settings = ["--settings", str(HERE / "settings.json")]
    os.chdir(folder)
    with contextlib.redirect_stdout(io.StringIO()):
        main(["weave", book, "--chat", str(HERE / "chat.jsonl"), *settings, "--state", "state.json"])
    print("--- Two messages later nobody speaks of lamp oil any more, but the entry is sticky\n")
    print('$ lorewright explain lantern-isles.json "Lamp oil" --chat later.jsonl --state state.json\n', flush=True)
    main(["explain", book, "Lamp oil", "--chat", "later.jsonl", *settings, "--state", "state.json"])
    print()
    os.chdir(HERE)


if __name__ == "__main__":
    os.chdir(HERE)
    run("A lorebook and a chat go in, the prompt comes out", "weave", *FILES)
    run("Why is an entry in, and why is another one not?", "explain", *FILES, "--all")
    with tempfile.TemporaryDirectory() as temporary:
        run_next_turn(Path(temporary))
    run("Does the book hold anything that cannot work?", "check", "lantern-isles.json", "--settings", "settings.json")
    print(OWN_FILES, end="")
