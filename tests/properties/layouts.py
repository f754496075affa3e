"""Strategies for laying out prompts: presets, scenes and lore whose every text says which source it is.

A text of the source `(kind, id)` holds the mark `⟦kind:id⟧` once, so that a test sees where it went without asking the
trace. They are dense on purpose: few ids, so that prompts, markers and injected keys collide; odd depths and roles;
budgets that are too small.
"""

import re
from dataclasses import dataclass, replace
from functools import cache

from hypothesis import strategies as st

from lorewright.core.layout import Preset, Prompt, Scene
from lorewright.core.layout.preset import Limits, OrderEntry, OrderList, Wording
from lorewright.core.layout.scene import (
    Card,
    CharacterNote,
    ChatTexts,
    Group,
    Injection,
    Line,
    Note,
    OwnNote,
    Persona,
    Preferences,
)
from lorewright.core.layout.stock import MARKERS
from lorewright.core.layout.strand import Source
from lorewright.core.model import ABSENT, Odd
from lorewright.core.place import DepthGroup, Example, Placed, Text

MARK = re.compile("⟦([a-z]+):([^⟧]*)⟧")
FILLERS = ("", " ", "\n", "word", "two\r\nlines", " {{user}}", "{{noop}}", "猫\u3000", "{{nothing known}}", "x" * 40)
NAMES = ("Aria", "Bo", "Max", "Fate")
PROMPTS = ("main", "nsfw", "jailbreak", "enhanceDefinitions", "own", "other", "summary", "my_key", "bias", "groupNudge")
IDS = (*PROMPTS, *MARKERS)
KEYS = ("1_memory", "2_floating_prompt", "chromadb", "my key", "a", "7", "customDepthWI_1_0", "PERSONA_DESCRIPTION")
DEPTHS = (0, 1, 2, 9, 1.5, -1, 100)
ROLES = ("system", "user", "assistant")
TYPES = ("normal", "continue", "impersonate", "swipe", "regenerate", "quiet")

flags = st.booleans()
fillers = st.sampled_from(FILLERS)
numbers = st.sampled_from(DEPTHS)
roles = st.sampled_from((*ROLES, "narrator"))
positions = st.sampled_from(("start", "end", "in_chat", "none"))


@cache
def marked(kind, name):
    """A text of a source, or an empty one."""
    mark = f"⟦{kind}:{name}⟧"
    return st.sampled_from(("", *(before + mark + after for before in FILLERS for after in FILLERS)))


def fields(kind, *names):
    """Texts by the name of the field that they are for."""
    return {name: marked(kind, name) for name in names}


# -- presets -----------------------------------------------------------------------------------------------------------

prompts = {
    name: st.builds(
        Prompt,
        id=st.just(name),
        content=st.just("") if name in MARKERS else marked("prompt", name),
        role=st.sampled_from((None, *ROLES, "narrator")),
        of_user=flags,
        in_chat=flags,
        depth=st.sampled_from((*DEPTHS, ABSENT, None, Odd("2"))),
        order=st.sampled_from((ABSENT, None, 100, 50, 200.5, Odd("x"))),
        triggers=st.sampled_from(((), (), ("normal",), ("quiet", "swipe"))),
        fixed=flags,
    )
    for name in IDS
}
some_prompts = st.lists(st.sampled_from(IDS), max_size=10, unique=True).flatmap(
    lambda names: st.tuples(*(prompts[name] for name in names))
)
entries = st.builds(OrderEntry, st.sampled_from((*IDS, "unknown")), st.sampled_from((True, True, True, False)))
orders = st.builds(
    OrderList,
    st.sampled_from(("100001", "100001", "100000", "5")),
    st.one_of(
        st.permutations(IDS).map(lambda ids: tuple(map(OrderEntry, ids))), st.lists(entries, max_size=12).map(tuple)
    ),
)
wordings = st.builds(
    Wording,
    lore_format=st.sampled_from(("{0}", "", "[{0}]", " ")),
    scenario_format=st.sampled_from(("{{scenario}}", "", "Scene: {{scenario}}")),
    personality_format=st.sampled_from(("{{personality}}", "")),
    new_example=st.just(""),
    continue_postfix=st.sampled_from((" ", "")),
    **fields("setting", "new_chat", "new_group_chat", "group_nudge", "impersonation", "continue_nudge"),
    **fields("setting", "assistant_prefill", "send_if_empty"),
)
presets = st.builds(
    Preset,
    prompts=some_prompts,
    orders=st.lists(orders, max_size=2).map(tuple),
    wording=wordings,
    limits=st.builds(Limits, st.sampled_from((2000, 2000, 2000, 300, 60, 20, 3)), st.sampled_from((0, 10))),
    names=st.sampled_from(("none", "default", "completion", "content")),
    squash=flags,
    continue_prefill=flags,
    source=st.sampled_from(("openai", "claude")),
)

# -- scenes ------------------------------------------------------------------------------------------------------------


def card(name):
    def text(field):
        return marked("card", f"{name}.{field}")

    starts = st.sampled_from(("", "<START>\n", "<start>\nAria: "))
    return st.builds(
        Card,
        name=st.just(name),
        examples=st.builds(lambda start, said: said and f"{start}{name}: {said}", starts, text("examples")),
        note=st.builds(CharacterNote, text("note"), numbers, roles),
        **{field: text(field) for field in ("description", "personality", "scenario", "system_prompt", "post_history")},
    )


cards = {name: card(name) for name in NAMES}
groups = st.builds(
    Group,
    members=st.one_of(st.tuples(cards["Bo"]), st.tuples(cards["Bo"], cards["Fate"])),
    muted=st.frozensets(st.sampled_from(NAMES)),
    cards=st.sampled_from(("swap", "join", "join_muted")),
    prefix=st.sampled_from(("", "<FIELDNAME> of {{char}}: ")),
)
lines = [
    st.builds(
        Line,
        name=st.sampled_from(NAMES),
        text=marked("message", at),
        is_user=flags,
        hidden=st.sampled_from((False, False, True)),
        narrator=st.sampled_from((False, False, True)),
        named=flags,
        bias=st.sampled_from(("", "", f"⟦bias:{at}⟧")),
    )
    for at in range(5)
]
injections = {
    key: st.builds(
        Injection,
        key=st.just(key),
        text=marked("injection", key),
        position=positions,
        depth=numbers,
        role=roles,
        allowed=flags,
    )
    for key in KEYS
}
notes = st.builds(
    Note,
    text=marked("note", "chat"),
    position=positions,
    depth=numbers,
    role=roles,
    interval=st.sampled_from((0, 1, 1, 2)),
    own=st.one_of(
        st.none(), st.builds(OwnNote, marked("note", "character"), st.sampled_from(("replace", "before", "after")))
    ),
)
single_scenes = st.builds(
    Scene,
    trigger=st.sampled_from(TYPES),
    user=st.just("Max"),
    card=cards["Aria"],
    group=st.none(),
    persona=st.builds(
        Persona,
        text=marked("persona", "persona"),
        position=st.sampled_from(("prompt", "above_note", "below_note", "in_chat", "none")),
        depth=numbers,
        role=roles,
    ),
    chat=st.integers(0, len(lines)).flatmap(lambda count: st.tuples(*lines[:count])),
    note=notes,
    injections=st.lists(st.sampled_from(KEYS), unique=True, max_size=4).flatmap(
        lambda keys: st.tuples(*(injections[key] for key in keys))
    ),
    chat_texts=st.builds(
        ChatTexts,
        examples=st.sampled_from(("", "Aria: ⟦chat:examples⟧")),
        **fields("chat", "scenario", "system_prompt"),
    ),
    quiet_prompt=marked("quiet", "quiet"),
    without_lore=st.sampled_from((False, False, True)),
    sent_nothing=flags,
    preferences=st.builds(
        Preferences,
        pin_examples=flags,
        strip_examples=flags,
        card_system_prompt=flags,
        card_post_history=flags,
        collapse_newlines=flags,
        bias=marked("bias", "preferences"),
    ),
)


def with_group(scene, group):
    """A scene in a group of which its card is a member."""
    return scene if group is None else replace(scene, group=replace(group, members=(scene.card, *group.members)))


scenes = st.builds(with_group, single_scenes, st.one_of(st.none(), groups))

# -- lore --------------------------------------------------------------------------------------------------------------


def found(where):
    one, other = (st.builds(Text, st.just(f"{where}.{at}"), marked("entry", f"{where}.{at}")) for at in range(2))
    return st.one_of(st.just(()), st.tuples(one), st.tuples(one, other))


depth_groups = [
    st.builds(DepthGroup, st.sampled_from((0, 1, "2", None)), st.sampled_from((0, 1, 2, 7)), found(f"depth{at}"))
    for at in range(2)
]
lore = st.builds(
    Placed,
    before=found("before"),
    after=found("after"),
    note_top=found("note_top"),
    note_bottom=found("note_bottom"),
    at_depth=st.one_of(st.just(()), st.tuples(*depth_groups)),
    examples=st.builds(
        lambda texts, where: tuple(Example(where, Text(name, text and f"Aria: {text}")) for name, text in texts),
        found("example"),
        st.sampled_from(("top", "bottom")),
    ),
    outlets=found("outlet").map(lambda texts: {"shelf": texts}),
)


@dataclass
class Given:
    """One request, without its macros and counter."""

    scene: Scene
    preset: Preset
    lore: Placed

    def candidates(self):
        """The sources of texts that are there at all, by the inputs alone."""
        found = [Source("prompt", prompt.id) for prompt in self.preset.prompts if prompt.content]
        found += [Source("message", str(at)) for at, line in enumerate(self.scene.chat) if line.text]
        found += [Source("injection", one.key) for one in self.scene.injections if one.text]
        found += [Source("entry", text.entry) for text in self.lore.in_reading_order() if text.text]
        own = self.scene.chat_texts
        found += [Source("chat", name) for name in ("scenario", "examples", "system_prompt") if getattr(own, name)]
        if self.scene.persona.text:
            found.append(Source("persona", "persona"))
        if self.scene.note.text:
            found.append(Source("note", "chat"))
        if self.scene.quiet_prompt:
            found.append(Source("quiet", "quiet"))
        if self.scene.card.description:
            found.append(Source("card", "Aria.description"))
        return found


requests = st.builds(Given, scenes, presets, lore)
