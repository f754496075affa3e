"""The program `llm`, as somebody uses it with a server of their own."""

import os
import subprocess
import sys

import pytest

from lorewright.testing.fake_upstream import Plan


@pytest.fixture
def llm(gateway, tmp_path):
    (tmp_path / "extra-openai-models.yaml").write_text(
        f"- model_id: isles\n  model_name: aria\n  api_base: {gateway.url}/v1\n"
        f"- model_id: mirrored\n  model_name: mirror\n  api_base: {gateway.url}/v1\n",
        "utf-8",
    )

    def run(*words):
        environment = os.environ | {"LLM_USER_PATH": str(tmp_path), "OPENAI_API_KEY": "not-needed"}
        done = subprocess.run(
            [sys.executable, "-m", "llm", *words],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=110,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.mark.parametrize("stream", [(), ("--no-stream",)], ids=["stream", "whole"])
def test_a_prompt(stream, llm, fake):
    assert llm("prompt", "-m", "isles", *stream, "Where are we?") == f"{Plan().text}\n"
    assert fake.received[0].json["model"] == "m"
    assert fake.received[0].json["messages"] == [{"role": "user", "content": "Where are we?"}]


def test_the_mirror(llm):
    said = llm("prompt", "-m", "mirrored", "-s", "Be brief.", "Where are we?")

    assert said == "[system]\nBe brief.\n\n[user]\nWhere are we?\n"
