"""The gateway and a client that knows nothing of it: `python examples/03-gateway-any-client/demo.py`."""

import json
import os
import re
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

from openai import OpenAI

HERE = Path(__file__).resolve().parent
CHAT = [
    {"role": "user", "content": "Maren, is the bell of Saltwick under the water?"},
    {"role": "assistant", "content": "It is. And there is light in the tower again."},
    {"role": "user", "content": "Then a gale is coming. Have we lamp oil?"},
]


def serve(folder: str) -> subprocess.Popen[str]:
    """Start `lorewright serve` on a free port; what it keeps goes into the folder."""
    command = [sys.executable, "-m", "lorewright", "serve", "--config", str(HERE / "lorewright.toml"), "--port", "0"]
    environment = os.environ | {"LOREWRIGHT_DATA_DIR": folder}
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, serve(folder) as server:
        try:
            assert server.stdout is not None
            address = re.search(r"http://\S+?:\d+", server.stdout.readline())
            assert address is not None, "the server did not start"
            talk(address[0])
        finally:
            server.terminate()
    print("\nThis server has ended with the demo. One that stays, for a client of your own:\n")
    print("  .venv/bin/lorewright serve --config examples/03-gateway-any-client/lorewright.toml")


def talk(address: str) -> None:
    print(f"The gateway listens at {address}; clients of the OpenAI API take {address}/v1")
    client = OpenAI(base_url=f"{address}/v1", api_key="none", max_retries=0)
    reply = client.chat.completions.with_raw_response.create(model="maren", messages=CHAT)  # type: ignore[arg-type]
    print("\nThe mirror answers with the prompt that a model would have got:\n")
    print(reply.parse().choices[0].message.content)

    turn = reply.headers["x-lorewright-turn"]
    with urllib.request.urlopen(f"{address}/lorewright/v1/turns/{turn}") as page:
        receipt = json.load(page)
    print(f"\nThe receipt ({address}/lorewright/v1/turns/{turn}) says why:\n")
    for entry in receipt["entries"]:
        print(f"{'in ' if entry['in'] else 'out'}  {entry['title']}: {entry['reason']['sentence']}")
    request, used = receipt["request"], receipt["reply"]
    print(f"\n{request['bytes']} bytes went to `{request['upstream']}`; it counted {used['prompt_tokens']} tokens.")


if __name__ == "__main__":
    main()
