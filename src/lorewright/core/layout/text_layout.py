"""`lay_out_text`: the same scene and lore as one text, for models that complete texts.

After SillyTavern's documentation of context and instruct templates; nothing of it was recorded from the program.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from lorewright.core.layout.account import Account, LeftOut
from lorewright.core.layout.chat import speak
from lorewright.core.layout.defects import NATIVE_LAYOUT, Defects
from lorewright.core.layout.depths import insert_at_depths
from lorewright.core.layout.desk import Desk
from lorewright.core.layout.draft import Budget, Costs, Draft
from lorewright.core.layout.insertions import Insertion
from lorewright.core.layout.layout import Overrun, close_outlets
from lorewright.core.layout.macros import Macros, Reading
from lorewright.core.layout.message import Block, blocks_of
from lorewright.core.layout.pen import Pen
from lorewright.core.layout.preset import Preset, Wording
from lorewright.core.layout.reasons import (
    AsksForReply,
    BudgetSpent,
    Continued,
    InExamples,
    InStory,
    KeepsTurns,
    NothingLeft,
    OlderThanBudget,
    OpensPart,
    Stands,
    TooLong,
)
from lorewright.core.layout.scene import Scene
from lorewright.core.layout.stage import Stage, set_stage
from lorewright.core.layout.stops import stop_strings
from lorewright.core.layout.story import StoryEngine
from lorewright.core.layout.strand import Source, Strand
from lorewright.core.layout.text_examples import write_examples
from lorewright.core.layout.text_preset import TextPreset
from lorewright.core.layout.text_story import lay_story, post_history
from lorewright.core.layout.turns import Turns
from lorewright.core.model import Report
from lorewright.core.place import Placed
from lorewright.core.protocols import Counter
from lorewright.core.variables import Values

__all__ = ["LaidText", "lay_out_text"]

_PLAIN: Final = Preset(wording=Wording(send_if_empty="", continue_postfix=""))
"""What a stage asks of a preset for chat completion, and text completion does not have."""
_STORY_KEY: Final = "story string"


@dataclass(frozen=True, slots=True, kw_only=True)
class LaidText:
    """What came of a scene: `text` to be completed until one of `stops`. Everything else is as in `LaidOut`; `overrun`:
    what must stand is longer than the budget, and nothing else is there."""

    blocks: tuple[Block, ...]
    stops: tuple[str, ...]
    left_out: tuple[LeftOut, ...]
    overrun: Overrun | None
    variables: Values
    reports: tuple[Report, ...]

    @property
    def text(self) -> str:
        """The text to send."""
        return "".join(block.text for block in self.blocks)


class _Passage(NamedTuple):
    """A part of the text that stands in one place."""

    content: Strand
    why: Stands


def lay_out_text(
    scene: Scene,
    preset: TextPreset,
    lore: Placed,
    *,
    story: StoryEngine,
    macros: Macros,
    counter: Counter,
    variables: Values | None = None,
    defects: Defects = NATIVE_LAYOUT,
) -> LaidText:
    """Lay out one request as a text. Pure, and raises nothing, as `lay_out`; `story` is the language of the story
    string."""
    account = Account()
    pen = Pen(macros, Reading(variables=variables or Values()), scene.preferences, defects)
    desk = Desk(replace(scene, sent_nothing=False), pen, account, defects)
    budget = Budget(preset.limits.context_tokens - preset.limits.response_tokens, Costs(counter.count, 0, desk.memo))
    writer = _Writer(desk, preset, set_stage(desk, _PLAIN, lore), Turns(preset.instruct, scene, pen), budget)
    passages = list(writer.write(story))
    close_outlets(lore, account)
    blocks = [block for passage in passages for block in blocks_of(passage.content, passage.why, budget.costs)]
    return LaidText(
        blocks=tuple(blocks),
        stops=stop_strings(preset, scene, pen),
        left_out=account.close((source for block in blocks for source in block.sources), None),
        overrun=writer.overrun,
        variables=pen.reading.variables,
        reports=tuple(dict.fromkeys(pen.reports)),
    )


@dataclass(slots=True)
class _Writer:
    desk: Desk
    preset: TextPreset
    stage: Stage
    turns: Turns
    budget: Budget
    overrun: Overrun | None = None

    def write(self, engine: StoryEngine) -> Iterator[_Passage]:
        """The parts of the text in their order."""
        context = self.preset.context
        blocks = write_examples(self.desk, self.preset, self.turns, self.stage.blocks)
        story = lay_story(self.desk, self.preset, self.stage, blocks, engine)
        if context.in_chat:
            insertion = Insertion(story, "in_chat", context.depth, context.role)
            self.stage.insertions.put(_STORY_KEY, insertion)
            story = Strand()
        chat, continued = self._chat()
        must = [self.turns.story(story), self._start(), self._filler(), *self._end(chat, continued)]
        self._pay_for(must)
        told, start, filler, *end = must
        pinned = self.desk.scene.preferences.pin_examples
        shown = list(self._fitting_examples(blocks)) if pinned else []
        said = self._fitting_turns(chat)
        if not pinned:
            shown = list(self._fitting_examples(blocks))
        yield _Passage(told, InStory())
        yield from shown
        yield _Passage(start, OpensPart("chat"))
        if not said or said[0][0] != "user":
            yield _Passage(filler, KeepsTurns())
        yield from (passage for _, passage in said)
        yield from (_Passage(strand, Continued() if continued else AsksForReply()) for strand in end)

    def _chat(self) -> tuple[list[Draft], Draft | None]:
        """The messages with the texts among them, newest first; the one to be continued apart."""
        scene = self.desk.scene
        chat = speak(self.desk, self.stage.lines, "none")
        continued = chat.pop(0) if scene.trigger == "continue" and chat else None
        chat = insert_at_depths(self.desk, chat, [], self.stage.insertions)
        names = {"user": scene.user, "assistant": scene.card.name}
        chat = [one._replace(speaker=names.get(one.role, "")) if one.injected else one for one in chat]
        behind = post_history(self.desk, self.preset, self.stage)
        if behind.text:
            chat.insert(0, Draft(id=None, role="user", content=behind, why=AsksForReply(), speaker=scene.user))
        return chat, continued

    def _end(self, chat: Sequence[Draft], continued: Draft | None) -> list[Strand]:
        """What the model goes on from: a message without its end, or the beginning of a new one."""
        quiet: list[Strand] = []
        if self.stage.quiet.text:
            quiet = [self.turns.turn(Draft(id=None, role="system", content=self.stage.quiet, why=AsksForReply()))]
        if continued is not None:
            return [*quiet, self.turns.unfinished(continued, is_first=not chat)]
        return [*quiet, self.turns.opening(self.stage.bias, forces_name=self.preset.context.forces_name)]

    def _start(self) -> Strand:
        text = self.preset.context.chat_start
        return self.desk.pen.prepare(Strand.of(Source("setting", "chat_start"), f"{text}\n")) if text else Strand()

    def _filler(self) -> Strand:
        """A message of the user's for a chat that does not begin with one."""
        instruct = self.preset.instruct
        if instruct is None or not instruct.filler:
            return Strand()
        content = self.desk.pen.prepare(Strand.of(Source("setting", "user_alignment_message"), instruct.filler))
        draft = Draft(id=None, role="user", content=content, why=KeepsTurns(), speaker=self.desk.scene.user)
        return self.turns.turn(draft, is_first=True)

    def _pay_for(self, must: Sequence[Strand]) -> None:
        needed = sum(self.budget.count(strand.text) for strand in must)
        if needed > self.budget.left_tokens:
            self.overrun = Overrun(_STORY_KEY, needed, self.budget.left_tokens)
        self.budget.left_tokens -= needed

    def _fits(self, strand: Strand) -> bool:
        cost = self.budget.count(strand.text)
        if cost > self.budget.left_tokens:
            return False
        self.budget.left_tokens -= cost
        return True

    def _fitting_examples(self, blocks: Sequence[Strand]) -> Iterator[_Passage]:
        is_full = False
        for number, block in enumerate(blocks):
            if not block.text:
                self.desk.account.leave(block, NothingLeft())
            elif is_full:
                self.desk.account.leave(block, BudgetSpent())
            elif self._fits(block):
                yield _Passage(block, InExamples(number))
            else:
                is_full = True
                self.desk.account.leave(block, TooLong(self.budget.count(block.text), self.budget.left_tokens))

    def _fitting_turns(self, chat: Sequence[Draft]) -> list[tuple[str, _Passage]]:
        """The newest turns that fit, oldest first, each with its role."""
        found: list[tuple[str, _Passage]] = []
        is_full = False
        for at, draft in enumerate(chat):
            turn = self.turns.turn(draft, is_first=at == len(chat) - 1)
            if not draft.content.text:
                self.desk.account.leave(draft.content, NothingLeft())
            elif is_full:
                self.desk.account.leave(draft.content, OlderThanBudget())
            elif self._fits(turn):
                found.append((draft.role, _Passage(turn, draft.why)))
            else:
                is_full = True
                self.desk.account.leave(draft.content, TooLong(self.budget.count(turn.text), self.budget.left_tokens))
        return found[::-1]
