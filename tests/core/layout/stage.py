"""A small scene to lay out: Aria and Max, a preset with two prompts and the chat."""

from dataclasses import replace

from lorewright.conformance.world_info import CodePointCounter
from lorewright.core.layout import NATIVE_LAYOUT, Preset, Prompt, Scene, lay_out
from lorewright.core.layout.preset import Limits, OrderEntry, OrderList, Wording
from lorewright.core.layout.scene import Card, Line
from lorewright.core.place import DepthGroup, Placed, Text
from lorewright.templates.prompt_macros import PromptMacros

QUIET = Wording(new_chat="", new_group_chat="", group_nudge="", new_example="", impersonation="", continue_nudge="")
"""No texts of the settings but the formats."""
CHAT = (Line(name="Aria", text="Hello."), Line(name="Max", text="Hi.", is_user=True))


def prompt(name, content="", **other):
    return Prompt(**{"id": name, "content": content or name.upper(), "role": "system", "of_user": True, **other})


def order(*names, owner="100001"):
    """An order; a name with `-` in front is switched off."""
    return OrderList(owner, tuple(OrderEntry(name.removeprefix("-"), not name.startswith("-")) for name in names))


def preset(*prompts, listed=("main", "chatHistory"), wording=QUIET, **other):
    own = {one.id for one in prompts}
    main = () if "main" in own else (prompt("main", of_user=False),)
    orders = other.pop("orders", (order(*listed),))
    return Preset(prompts=(*main, *prompts), orders=orders, wording=wording, **other)


def scene(**other):
    return Scene(**{"user": "Max", "card": Card(name="Aria"), "chat": CHAT, "sent_nothing": False, **other})


def lore(**other):
    """Lore by position; a text is named after itself."""
    depths = other.pop("at_depth", {})
    groups = tuple(DepthGroup(depth, 0, texts(found)) for depth, found in depths.items())
    return Placed(at_depth=groups, **{name: texts(found) for name, found in other.items()})


def texts(found):
    return tuple(Text(text, text) for text in found)


def lay(the_preset=None, the_scene=None, the_lore=None, *, defects=NATIVE_LAYOUT, on="", **other):
    """Lay out; `on` names one defect that is kept."""
    if on:
        defects = replace(defects, **{on: True})
    the_scene = the_scene or scene()
    return lay_out(
        the_scene,
        the_preset or preset(),
        the_lore or Placed(),
        macros=PromptMacros(the_scene),
        counter=CodePointCounter(),
        defects=defects,
        **other,
    )


def shown(laid):
    """The contents, with the role in front of those that are not the system's."""
    return [
        message.content if message.role == "system" else f"{message.role}: {message.content}"
        for message in laid.messages
    ]


def out(laid):
    """What is left out: `kind id` → the code of the reason."""
    return {f"{left.source.kind} {left.source.id}": left.reason.code for left in laid.left_out}


def limited(tokens):
    return Limits(tokens, 0)
