"""What requests become, from a model of a few lines: a tree keyed by what was said, with lore hung on its messages.

It shares nothing with the code that is tested.
"""

from dataclasses import dataclass, field

TOWN = "Saltwick is a harbour town."
LORE = {
    "bell": "The bell of Saltwick rings by itself.",
    "reef": "On the reef stand seven wrecks.",
    "gull": "Gulls here are counted each spring.",
    "pier": "The pier has a light at its end.",
}
"""By their keys; a key is looked for in the newest message; they stand in this order."""


@dataclass
class Said:
    """A message at its place in a conversation: what followed, and the lore that was placed before it."""

    lore: list[str] | None = None
    asked: bool = False
    """A request ended here."""
    then: dict[tuple[object, ...], "Said"] = field(default_factory=dict)


class Model:
    """What one owner's requests on one route become."""

    def __init__(self):
        self.root = Said()

    def send(self, *messages):
        spoken = [at for at, message in enumerate(messages) if message["role"] != "system"]
        words = [_words(messages[at]) for at in spoken]
        skipped, way = self._find(words)
        while len(way) < len(words) - skipped:
            above = way[-1] if way else self.root
            way.append(above.then.setdefault(words[skipped + len(way)], Said()))
        nodes = dict(zip(spoken[skipped:], way, strict=True))
        self._place(messages, spoken[skipped:], nodes)
        way[-1].asked = True
        return _laid_out(messages, nodes)

    def _find(self, words):
        """How many messages at the front nobody knows, and the known ones behind them."""
        for skipped in range(len(words)):
            ways = (
                [[self.root.then[words[0]]]]
                if skipped == 0 and words[0] in self.root.then
                else self._starts(words[skipped])
            )
            ways = [way for way in (self._walk(way, words[skipped + 1 :]) for way in ways) if way]
            most = max(map(len, ways), default=0)
            if (skipped == 0 and words[0] in self.root.then) or most > 1:
                ways = [way for way in ways if len(way) == most]
                return (skipped, ways[0]) if len(ways) == 1 else (0, [])
        return 0, []

    def _starts(self, words):
        waiting, found = [self.root], []
        while waiting:
            node = waiting.pop()
            found += [[node.then[words]]] if words in node.then else []
            waiting += node.then.values()
        return found

    @staticmethod
    def _walk(way, words):
        for said in words:
            if said not in way[-1].then:
                break
            way = [*way, way[-1].then[said]]
        return way

    @staticmethod
    def _place(messages, spoken, nodes):
        """Lore for the newest message of the user, if no request has seen it."""
        newest = max((at for at in spoken if messages[at]["role"] == "user"), default=None)
        ended = max((at for at in spoken[:-1] if nodes[at].asked), default=-1)
        if newest is None or newest <= ended:
            return
        stands = [text for at in spoken if at != newest for text in nodes[at].lore or ()]
        said = messages[newest]["content"].lower()
        nodes[newest].lore = [text for key, text in LORE.items() if key in said and text not in stands]


def _words(message):
    """What counts of a message: neither ids nor thoughts nor the white space around it."""
    calls = [(call["function"]["name"], call["function"]["arguments"]) for call in message.get("tool_calls", ())]
    return message["role"], message.get("name", ""), (message.get("content") or "").strip(), tuple(calls)


def _laid_out(messages, nodes):
    found = [
        {**message, "content": "\n\n".join([*lore, message["content"]])}
        if (lore := nodes[at].lore if at in nodes else None)
        else message
        for at, message in enumerate(messages)
    ]
    lead = next(at for at, message in enumerate(messages) if message["role"] != "system")
    if lead == 0:
        return [{"role": "system", "content": TOWN}, *found]
    last = found[lead - 1]
    return [*found[: lead - 1], {**last, "content": f"{last['content']}\n\n{TOWN}"}, *found[lead:]]
