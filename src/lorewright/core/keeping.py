"""Variables that follow from what is said: a keeper reads the messages that are new since the last request on this branch.

What it made of a message is kept with the state behind the request, on a node of the chain. So a message is read once on
each branch, and whoever goes back, edits or regenerates goes on from the variables of the message before.
"""

from __future__ import annotations

from dataclasses import replace

from lorewright.core.draw import draw_for
from lorewright.core.gates import Knowledge
from lorewright.core.lore import Lore
from lorewright.core.model import Turn
from lorewright.core.protocols import KeeperContext, Kept, RenderContext, Tools
from lorewright.core.thread import Thread
from lorewright.core.variables import Values

__all__ = ["keep_variables"]


def keep_variables(thread: Thread, turn: Turn, lore: Lore, tools: Tools) -> tuple[Turn, Kept]:
    """Let the keeper of the tools read the new messages, oldest first, and the thread go on from what came of it.

    What the client says of a variable in this turn still counts before that. The changes name the messages by their
    places in the turn. At the start of a conversation hidden messages are read, too: they counted before they were hidden.
    """
    if tools.keeper is None:
        return turn, Kept()
    first = 0 if thread.base is None else thread.base + 1
    places = thread.places[first:] if thread.before else thread.sent
    open_lore = lore.open_to(Knowledge.of(turn, thread.state), turn.character)
    chance = tools.draw or draw_for(turn, 0)
    drawn = iter(range(2**31))

    def render(text: str) -> str:
        if not tools.renderer.is_template(text):
            return text
        context = RenderContext(
            turn,
            lambda: chance.number("", "initial", next(drawn)),
            open_lore.open_books,
            lore.policy.name,
            Values.of(turn, thread.state),
        )
        return tools.renderer.render(text, context).text

    context = KeeperContext(turn, thread.turn.variables, open_lore.open_active, render, thread.before is None)
    kept = tools.keeper.keep(thread.state.variables, [turn.messages[place] for place in places], context)
    if kept.variables:
        thread.keep(kept.variables)
        turn = replace(turn, variables={**thread.state.variables, **thread.turn.variables})
    changes = tuple(one if one.message < 0 else one._replace(message=places[one.message]) for one in kept.changes)
    return turn, kept._replace(changes=changes)
