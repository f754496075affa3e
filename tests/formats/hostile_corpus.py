"""Hostile files, made by a program: `python -m tests.formats.hostile_corpus COUNT [SEED]` reads so many of them.

Each is read in this process under a limit of time and memory. Anything but an answer or a `FormatError` ends the run
with the file's name, seed and first bytes; so does a file that takes more than two seconds of CPU time or more than 300 MB.
"""

import base64
import io
import json
import random
import resource
import signal
import struct
import sys
import zipfile
import zlib
from collections.abc import Iterator

from lorewright.errors import FormatError
from lorewright.formats.inspect import inspect_file
from tests.formats.pictures import SIGNATURE, chunk, picture, text

SECONDS = 2
MEMORY_MB = 300

CARD = {
    "spec": "chara_card_v2",
    "spec_version": "2.0",
    "data": {
        "name": "Ada",
        "description": "d",
        "first_mes": "Hi",
        "character_book": {"entries": [{"keys": ["a"], "content": "b", "insertion_order": 1, "enabled": True}]},
    },
}
BOOK = {"entries": {"0": {"uid": 0, "key": ["cat"], "keysecondary": [], "content": "c", "order": 100, "position": 0}}}
NAMES = (
    *("spec", "data", "entries", "lorebookVersion", "kind", "type", "prompts", "prompt_order", "qrList", "findRegex"),
    *(
        "scriptName",
        "worldinfo",
        "gamestarted",
        "char_name",
        "name",
        "description",
        "first_mes",
        "keys",
        "key",
        "content",
    ),
    *(
        "uid",
        "keysecondary",
        "disable",
        "keywords",
        "entry",
        "value",
        "story_string",
        "input_sequence",
        "module",
        "lorebook",
    ),
    *("lorewright", "is_creation", "categories", "contextConfig", "extensions", "characterFilter", "order", "position"),
)
WORDS = (
    *(
        "chara_card_v2",
        "chara_card_v3",
        "lorebook_v3",
        "risu",
        "risuModule",
        "memory",
        "character",
        "cat",
        "",
        "\ud800",
    ),
    *("/(a+)+$/", "@@depth 4\nx", "<% x %>", "{{user}}", "\x00", "\u202e", "../../etc/passwd", "a" * 300, "9" * 400),
)


def random_value(chance: random.Random, depth: int = 0) -> object:
    """Any JSON value, with the names that formats are recognised by."""
    kind = chance.randrange(10 if depth < 5 else 6)
    if kind == 0:
        return chance.choice((None, True, False))
    if kind in (1, 2):
        return chance.choice((0, 1, -1, 2**70, 10**400, 1.5, 1e308, 4, 100))
    if kind < 6:
        return chance.choice(WORDS)
    if kind < 8:
        return [random_value(chance, depth + 1) for _ in range(chance.randrange(4))]
    return {chance.choice(NAMES): random_value(chance, depth + 1) for _ in range(chance.randrange(1, 7))}


def changed(chance: random.Random, data: bytes) -> bytes:
    """A file with a few bytes flipped, cut, doubled or put elsewhere."""
    changing = bytearray(data)
    for _ in range(chance.randrange(1, 6)):
        if not changing:
            break
        place = chance.randrange(len(changing))
        match chance.randrange(5):
            case 0:
                changing[place] ^= 1 << chance.randrange(8)
            case 1:
                del changing[place:]
            case 2:
                changing[place:place] = changing[place : place + chance.randrange(1, 40)]
            case 3:
                changing[place : place + 4] = struct.pack(
                    chance.choice("<>") + "I", chance.choice((0, 2**31, 2**32 - 1))
                )
            case 4:
                del changing[place : place + chance.randrange(1, 20)]
    return bytes(changing)


def zipped(members: dict[str, bytes]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return target.getvalue()


def samples() -> dict[str, bytes]:
    """Small sound files of many kinds, to be damaged."""
    card = json.dumps(CARD).encode()
    in_png = picture(text("chara", base64.b64encode(card)))
    markdown = "---\nname: x\n---\n# Book\n\n## Cat\n- keywords: cat, kitten\n- order: 5\n\nText\n\n## Dog\n\nText\n"
    native = "lorewright: 1\nname: x\nentries:\n  - uid: 0\n    keys: [cat]\n    content: |\n      text\n"
    return {
        "world.json": json.dumps(BOOK).encode(),
        "card.json": card,
        "card.png": in_png,
        "card.charx": zipped({"card.json": card, "assets/icon/images/main.png": in_png}),
        "card.yaml": b"name: Ada\ncontext: d\ngreeting: hi\n",
        "book.md": markdown.encode(),
        "native.yaml": native.encode(),
        "novelai.lorebook": json.dumps({"lorebookVersion": 5, "entries": [{"text": "x", "keys": ["a"]}]}).encode(),
        "risu.json": json.dumps({"type": "risu", "ver": 1, "data": [{"key": "a,b", "content": "c"}]}).encode(),
        "preset.json": json.dumps({"prompts": [{"identifier": "main", "name": "M"}], "prompt_order": []}).encode(),
    }


def bombs() -> Iterator[tuple[str, bytes]]:
    """Files that grow, nest or point outside."""
    zeros = b"0" * 60_000_000
    yield "bomb.charx", zipped({"card.json": zeros})
    yield "many.charx", zipped({f"assets/{n}": b"" for n in range(5000)})
    yield (
        "outside.charx",
        zipped({"../card.json": b"{}", "/abs": b"x", "c:\\x": b"x", "card.json": json.dumps(CARD).encode()}),
    )
    packed = zlib.compress(zeros, 9)
    yield "bomb.png", picture(chunk(b"zTXt", b"chara\0\0" + packed))
    yield "itxt.png", picture(chunk(b"iTXt", b"chara\0\1\0\0\0" + packed))
    yield "chunks.png", picture(*[chunk(b"tEXt", b"a\0b")] * 20_000)
    yield "deep.json", b"[" * 200_000
    yield "deep2.json", b'{"a":' * 100_000 + b"1" + b"}" * 100_000
    yield "wide.json", b"[" + b"[]," * 3_000_000 + b"[]]"
    yield "numbers.json", b'{"entries":{"0":{"order":' + b"9" * 1_000_000 + b"}}}"
    yield "deep.yaml", b"name: x\ncontext: " + b"[" * 50_000
    laughs = "\n".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9) if n else 'x'}]" for n in range(12))
    yield "laughs.yaml", f"lorewright: 1\nname: x\n{laughs}\nentries: []\n".encode()
    yield "laughs2.yaml", f"name: x\ncontext: y\n{laughs}\n".encode()
    yield "tags.yaml", b"lorewright: 1\nname: !!python/object/apply:os.system ['true']\nentries: []\n"
    yield "long.yaml", b"lorewright: 1\nname: x\nentries: []\n# " + b"x" * 4_000_000
    yield "flow.yaml", b"lorewright: 1\nname: x # c\nentries: [" + b"1," * 1_900_000 + b"1]\n"
    yield "fields.md", b"## a\n" + b"".join(b"- f%d: x\n" % n for n in range(300_000))
    yield "lines.md", b"## a\n- keywords: " + b"x, " * 500_000
    yield "headings.md", b"## a\n" * 200_000
    yield "pickle", b"\x80\x04\x95\x10\x00\x00\x00\x00\x00\x00\x00\x8c\x05posix\x94"
    yield "risum", b"\x6f\x00" + struct.pack("<I", 2**32 - 1) + b"x" * 100
    yield "sqlite", b"SQLite format 3\0" + bytes(4096)


def files(count: int, seed: int) -> Iterator[tuple[str, bytes]]:
    """All bombs, a small card cut at every byte, every bit of a picture's head flipped, and `count` random files."""
    yield from bombs()
    for name, data in samples().items():
        for end in range(0, len(data), 1 if name in ("card.png", "card.charx") else 7):
            yield f"{name}[:{end}]", data[:end]
    head = samples()["card.png"]
    for bit in range(8 * (len(SIGNATURE) + 25)):
        flipped = bytearray(head)
        flipped[bit // 8] ^= 1 << bit % 8
        yield f"card.png bit {bit}", bytes(flipped)
    sound = list(samples().items())
    for number in range(count):
        chance = random.Random(seed * 1_000_003 + number)
        if chance.random() < 0.5:
            value = json.dumps(random_value(chance), ensure_ascii=chance.random() < 0.9)
            yield f"random {number}", value.encode("utf-8", "surrogatepass")
        else:
            name, data = chance.choice(sound)
            yield f"{name} changed {number}", changed(chance, data)


class TookTooLongError(Exception):
    """Two seconds of CPU time are over."""


def ring(*_: object) -> None:
    raise TookTooLongError


def main(count: int, seed: int) -> int:
    """Read them all; 0 if none did harm."""
    base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    signal.signal(signal.SIGPROF, ring)
    read = refused = 0
    for name, data in files(count, seed):
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        try:
            inspect_file(data)
            read += 1
        except FormatError as error:
            refused += bool(error.message)
        except TookTooLongError:
            print(f"{name}: more than {SECONDS} s of CPU time (seed {seed})")
            return 1
        except BaseException as error:  # noqa: BLE001 - whatever it is, it is what is looked for
            print(f"{name}: {type(error).__name__}: {error} (seed {seed}) {data[:200]!r}")
            return 1
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - base) / 1024
        if grown > MEMORY_MB:
            print(f"{name}: {grown:.0f} MB more (seed {seed})")
            return 1
    print(f"{read} read, {refused} refused, none did harm")
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(10**6)))
