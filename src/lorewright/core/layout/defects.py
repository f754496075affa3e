"""Defects of SillyTavern in laying out a prompt, one switch each; on means: as SillyTavern 1.19.0 does it."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Final

__all__ = ["NATIVE_LAYOUT", "SILLYTAVERN_LAYOUT", "Defects"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Defects:
    """The section is that of spec prompt-assembly. What `native` does instead stands behind the semicolon."""

    ignores_default_order: bool = False
    """§1.1: the order list of 100000 is never used; it is, where there is none of 100001."""
    keeps_empty_order: bool = False
    """§1.1: an order list without entries leaves the prompt without prompts; the stock order is used."""
    renders_again: bool = False
    """§1.2: macros run over what macros gave, up to twice, and over lore that is rendered already; they run over a text
    once."""
    renders_messages: bool = False
    """§2.5, §9.5: macros in chat messages run; a message is nobody's program."""
    hides_card_in_card: bool = False
    """§1.2: `{{description}}` and its like are empty inside fields of the card; they give the field's text."""
    keeps_break_of_empty_note: bool = False
    """§2.9, §2.12: around an empty author's note a line feed remains; it does not."""
    loses_texts_of_inactive_note: bool = False
    """§2.9, §2.12: while the note waits for its interval, lore around it and the persona beside it are lost; they stand
    where the note would."""
    keeps_skipped_lore: bool = False
    """§2.11: a request without lore loses only texts at depth and outlets; it loses all lore and the note."""
    names_narrators: bool = False
    """§3: in groups narrators get a name before their text; they do not."""
    replaces_lore_by_format: bool = False
    """§4.1: a format for lore without `{0}` stands there instead of the lore; such a format is ignored."""
    appends_unlisted_markers: bool = False
    """§4.3: a marker that the order does not name still gives its text, behind the last prompt; it gives none."""
    takes_over_ids: bool = False
    """§4.3: a text of the program drives out a prompt that happens to have its id; both stand."""
    repeats_relative_texts: bool = False
    """§4.3, §7.5: such a prompt in the chat makes the text stand twice; it stands once."""
    minds_case_of_start: bool = False
    """§5.1: examples that begin with `<start>` in lower case get an empty block; the case does not matter."""
    opens_empty_examples: bool = False
    """§5.4: a block without messages gives a heading all the same; it gives nothing."""
    sticks_to_names: bool = False
    """§5.3: in examples of groups the name of another member stays when the speaker goes on; each line sets it."""
    stops_at_overflow: bool = False
    """§6: what does not fit ends the whole assembly; it is left out alone."""
    squashes_for_free: bool = False
    """§10: line feeds between merged messages are not counted; each message that can be merged costs one more."""
    charges_repeated_prompts: bool = False
    """§7.4: a prompt that is named twice stands once and costs twice; it costs once."""
    loses_unmarked_prompts: bool = False
    """§7.4: a prompt whose flag does not say that it is the user's is never placed, unless in the chat; it is placed."""
    loses_texts_without_main: bool = False
    """§7.5: without a main prompt the texts beside it are lost; they stand at the top."""
    loses_odd_depths: bool = False
    """§8: a depth that is a text, negative, fractional or missing means no place; it means the nearest number, or 4."""
    loses_odd_roles: bool = False
    """§8: a role that nobody knows means no place in the chat; it means system."""
    ignores_filters_at_depth: bool = False
    """§8: a text whose filter refuses stands in the chat all the same; it does not."""
    keeps_blank_lines: bool = False
    """§8: a blank text among those that are joined in the chat leaves its line; it leaves nothing."""
    stops_at_injections: bool = False
    """§9.5: texts in the chat are counted with the messages, newest first, and are lost with the older ones; they are
    counted before all messages but the newest."""
    overwrites_nudge: bool = False
    """§9: with the examples as the last prompt, the message to be continued and its nudge are lost; they stand."""
    sends_raw_filler: bool = False
    """§9.4: macros in the text for an empty user message do not run; they run."""
    fills_behind_injections: bool = False
    """§9.4: a text in the chat counts as its last message, so the filler for an empty user message can stand twice; only
    messages count."""
    separates_by_empty: bool = False
    """§10: an empty message of user or assistant keeps system messages apart although it is not sent; it does not."""


NATIVE_LAYOUT: Final = Defects()
SILLYTAVERN_LAYOUT: Final = Defects(**{field.name: True for field in fields(Defects)})
