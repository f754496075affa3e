"""`cache-sim`: the table, the JSON and the chart."""

from xml.etree import ElementTree as ET

SPEECH = ("A dragon?", "Yes.", "And the mill?", "Empty.", "Well, well.", "Indeed.", "A dragon again?")
CHAT = [{"role": "assistant" if n % 2 else "user", "content": text} for n, text in enumerate(SPEECH)]
DRAGON = {"key": ["dragon"], "content": "The dragon is green.", "position": 4, "depth": 1}
MILL = {"key": ["mill"], "content": "The mill is empty."}


def test_frozen_keeps_what_classic_loses(shop):
    answer = shop.json("cache-sim", shop.write("chat.json", CHAT), shop.book(DRAGON, MILL))
    frozen, classic, none = (answer["placements"][name] for name in ("frozen", "classic", "none"))

    assert [run["requests"] for run in (frozen, classic, none)] == [4, 4, 4]
    assert (frozen["leastShare"], frozen["keptWhole"], frozen["moved"]) == (1, 3, 0)
    assert (none["leastShare"], none["keptWhole"]) == (1, 3)
    assert classic["keptWhole"] < 3
    assert frozen["newTokens"] < classic["newTokens"]
    assert [turn.get("entry") for turn in frozen["turns"]] == [None] * 4
    assert classic["turns"][1]["cause"] == "placement"
    assert classic["turns"][1]["firstDifference"] == classic["turns"][1]["keptBytes"]


def test_people_see_a_table(shop):
    result = shop.run("cache-sim", shop.write("chat.json", CHAT), shop.book(DRAGON, MILL))

    assert result.exit_code == 0
    assert [line.split()[0] for line in result.stdout.splitlines()[3:6]] == ["frozen", "classic", "none"]
    assert "3 of 3" in result.stdout


def test_the_chart_is_valid_and_has_a_line_for_each(shop):
    file = shop.folder / "kept.svg"
    shop.run("cache-sim", shop.write("chat.json", CHAT), shop.book(DRAGON), "--svg", file)
    chart = ET.fromstring(file.read_text("utf-8"))
    texts = [element.text for element in chart.iter("{http://www.w3.org/2000/svg}text")]

    assert [str(text).split()[0] for text in texts[-3:]] == ["frozen", "classic", "none"]


def test_a_chat_without_a_user_is_refused(shop):
    result = shop.run("cache-sim", shop.write("chat.json", CHAT[1:2]), shop.book(DRAGON))

    assert result.exit_code == 2
    assert "has no message of the user" in result.stderr


def test_one_request_is_enough(shop):
    answer = shop.json("cache-sim", shop.write("chat.json", CHAT[:1]), shop.book(DRAGON))

    assert answer["placements"]["frozen"]["requests"] == 1


def test_what_a_request_says_of_the_reader_holds_for_every_turn(shop):
    """Each entry is closed, or scoped, until an option of `weave` says so; then its text is sent in every request."""
    entry = "- {uid: 1, constant: true, content: A word that is only for some., %s}\n"
    for says, options in {
        "gate: {reveal: {book: The Isles, chapter: 2}}": ("--progress", "The Isles:2"),
        "gate: {flag: trusted}": ("--var", "trusted=true"),
        "restricted_to: [Maren]": ("--speaker", "Maren"),
        "scene: harbour": ("--scene", "harbour"),
    }.items():
        book = shop.write("book.yaml", "lorewright: 1\nname: b\nentries:\n" + entry % says)
        tokens = [
            {name: run["tokens"] for name, run in answer["placements"].items()}
            for answer in (shop.json("cache-sim", shop.write("chat.json", CHAT), book, *more) for more in ((), options))
        ]

        assert tokens[0]["frozen"] == tokens[0]["none"]
        assert tokens[1]["frozen"] > tokens[1]["none"] == tokens[0]["none"]
