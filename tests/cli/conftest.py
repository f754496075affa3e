"""A folder with small files in it, and a way to run the command there."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lorewright.cli.app import app

CHAT = [
    {"name": "Max", "is_user": True, "mes": "Is the old mill haunted?"},
    {"name": "Ana", "is_user": False, "mes": "Only the dragon knows."},
    {"name": "Max", "is_user": True, "mes": "Then I ask the dragon by the river."},
]


class Workshop:
    """Writes files into a folder of its own and runs commands in it."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.runner = CliRunner()

    def write(self, name, content):
        """Write a file (JSON unless it is text or bytes) and give back its path."""
        path = self.folder / name
        data = content if isinstance(content, bytes) else content.encode() if isinstance(content, str) else None
        path.write_bytes(json.dumps(content).encode() if data is None else data)
        return str(path)

    def book(self, *entries, name="world.json"):
        """Write a world info book; entries are objects with the fields that differ from an ordinary entry."""
        plain = {"key": [], "content": "", "comment": "", "order": 100, "position": 0, "selective": True}
        return self.write(name, {"entries": {str(n): {"uid": n, **plain, **entry} for n, entry in enumerate(entries)}})

    def chat(self, messages=None, name="chat.jsonl"):
        lines = [{"user_name": "Max", "character_name": "Ana"}, *(CHAT if messages is None else messages)]
        return self.write(name, "\n".join(map(json.dumps, lines)) + "\n")

    def run(self, *words):
        """Run a command; anything but an orderly end is a failed test."""
        result = self.runner.invoke(app, [str(word) for word in words])
        assert result.exception is None or isinstance(result.exception, SystemExit), repr(result.exception)
        assert "Traceback" not in result.output
        return result

    def json(self, *words):
        result = self.run(*words, "--json")
        assert result.exit_code in {0, 1}, result.stderr
        return json.loads(result.stdout)


@pytest.fixture
def shop(tmp_path, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    return Workshop(tmp_path)
