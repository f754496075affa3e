"""`python -m benchmarks.make_session`: write benchmarks/data/session-100.json anew. The same every time."""

import json
import random
from pathlib import Path

FILE = Path(__file__).resolve().parent / "data" / "session-100.json"
STARTS = "Bran Cor Dun Esk Fal Gar Hol Ist Kel Lor Mar Nor Ost Pel Quar Rav Sel Tor Ulm Ves".split()
ENDS = "wick mere".split()
NAMES = [start + end for start in STARTS for end in ENDS]
KINDS = "harbour mill chapel bridge inn market tower quarry ferry orchard".split()
ADJECTIVES = "quiet crowded ruined new narrow famous flooded haunted windy forgotten".split()
PEOPLE = "a widow|two brothers|an old pilot|the guild|a retired judge|nobody|a family of weavers|three monks".split("|")
FACTS = (
    "It is kept by {people}, who open it only after the tide bell.",
    "Strangers pay twice what the people of the place pay, and are told so.",
    "The road to it leaves the coast behind the {adjective} {kind} and takes half a day on foot.",
    "Since the winter of the long ice its cellar has stood under water.",
    "On the first day of the month a {kind} fair is held before its gates.",
    "Its name is older than the language that is spoken there now.",
)
CONSTANT = (
    "The story is told in the past tense, in short paragraphs.",
    "Aria is a courier who knows every road of the coast and trusts no map.",
    "The coast has no king; the guilds rule, each its own harbour.",
    "Magic exists but is expensive, and nobody in this story can pay for it.",
    "Travel on foot takes half a day between neighbouring places.",
    "The tide bell rings twice a day and closes all gates.",
    "Letters are sealed with coloured wax; red wax means a debt.",
    "Winter has just ended, and food is dear everywhere.",
)
OPENINGS = ("We walk on to", "Tell me about", "I ask a stranger the way to", "What do they say of", "Let us leave for")
REPLIES = (
    "Aria looked at the sky and said that there was time enough, if nobody stopped to talk.",
    "The road was empty. Somewhere below them the sea went over the stones.",
    "She shrugged. Nobody had asked her that for years, and the answer had not become better.",
    "They reached the gate before the bell, wet to the knees and not speaking.",
    "A man with red wax on his sleeve let them pass and looked after them for a long time.",
)


def entries(rng):
    for uid, name in enumerate(NAMES):
        kind, adjective = rng.choice(KINDS), rng.choice(ADJECTIVES)
        facts = " ".join(rng.sample(FACTS, rng.randrange(2, 5)))
        text = f"{name} is a {adjective} {kind} on the coast. {facts}"
        text = text.format(people=rng.choice(PEOPLE), kind=rng.choice(KINDS), adjective=rng.choice(ADJECTIVES))
        extra = rng.choice(({}, {}, {}, {"sticky": 4}, {"cooldown": 6}, {"probability": 70, "useProbability": True}))
        yield {"uid": uid, "key": [name], "content": text, "position": uid % 5, "depth": 1 + uid % 4, **extra}
    for uid, text in enumerate(CONSTANT, len(NAMES)):
        yield {"uid": uid, "key": [], "constant": True, "content": text, "position": uid % 4}
    for uid, key in enumerate((None, "harbour", "road"), len(NAMES) + len(CONSTANT)):
        base = {"uid": uid, "key": [key] if key else [], "constant": key is None, "position": 4, "depth": 0}
        yield base | {"content": f"[The {key or 'weather'} at this hour: {{{{hour}}}}]"}


def steps(rng):
    """100 turns; what else happens, happens before the turn that it is listed with."""
    beside = {
        **{number: [{"regenerate": True}] for number in (7, 23, 41, 66, 88)},
        18: [{"edit": 7, "text": "No, stop. What was that bell just now?"}],
        35: [{"delete": 2}],
        50: [{"change_entry": 3, "content": f"{NAMES[3]} burned down last night. Only its chimney stands."}],
        54: [{"edit": 15, "text": "I would rather hear of the guilds and of their debts."}],
        77: [{"delete": 4}],
        83: [{"edit": 3, "text": "Wait. Say that again, slowly."}],
    }
    yield {"say": "Good morning. The road, then?"}
    for number in range(2, 101):
        yield from beside.get(number, ())
        name = NAMES[3] if number in (48, 52) else rng.choice(NAMES)
        asks = rng.random() < 0.75
        text = f"{rng.choice(OPENINGS)} {name}." if asks else rng.choice(("And then?", "Go on.", "I say nothing."))
        more = " Is there a harbour?" if rng.random() < 0.15 else " How is the road?" if rng.random() < 0.15 else ""
        yield {"say": text + more, "reply": f"{rng.choice(REPLIES)} That was reply {number - 1}."}


def main():
    rng = random.Random(4)
    book = {"entries": {str(entry["uid"]): {"order": 100, "selective": True, **entry} for entry in entries(rng)}}
    system = "You are the narrator of a journey along a coast. The reader is called Max."
    window = {"from_turn": 60, "most_messages": 100, "cut_messages": 20}
    value = {"system": system, "window": window, "book": book, "steps": list(steps(rng))}
    FILE.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
