"""The defects of RisuAI's template language, one named switch each: on means as RisuAI 166.3.3 does it."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Final

__all__ = ["NATIVE", "RECORDED", "RISU", "UNSAFE", "Switches"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Switches:
    """Sections are those of the risu specification. `docs/reference/cbs.md` says what the repair is."""

    when_compares_backwards: bool = False
    """§4: `{{#when::2::>::1}}` asks whether 1 > 2."""
    when_keep_drops_value: bool = False
    """§4: `keep` and `legacy` drop the value behind them, so `{{#when::keep::1}}` is false."""
    when_reads_both_branches: bool = False
    """§4: both branches of `#when` are read, so what they write takes effect; the wrong one is cut afterwards."""
    each_keeps_as: bool = False
    """§4: in `{{#each LIST as NAME}}` the word `as` belongs to the list."""
    each_runs_items: bool = False
    """§1.2: the text of a list item is scanned for macros when `#each` has put it in."""
    else_opens_unread: bool = False
    """§4: inside an unread block `{{:else}}` opens a level of its own, so the block never ends."""
    open_blocks_print_angle: bool = False
    """§1.6: a block that is never closed is printed as `<` and its body, without its opening."""
    comments_stay: bool = False
    """§1.8: `{{// text}}` stays in the prompt."""
    odd_results_print_undefined: bool = False
    """§2: a number, list or true as a result prints the word `undefined` and loses the temporary variables; 0, false
    and null leave the macro as text."""
    calls_never_end: bool = False
    """§2, §5: the call counter counts all calls of a text, not those that are running; the twentieth fails."""
    history_runs_messages: bool = False
    """§2: `history`, `userhistory` and `charhistory` run the macros in chat messages."""
    missing_is_null: bool = False
    """§6: `setdefaultvar` never sets a missing variable, and `addvar` makes NaN of it."""
    date_stamp_divided: bool = False
    """§2: the time stamp of `date` and `time` is divided by 1000 and then read as milliseconds."""
    date_replaces_letters: bool = False
    """§2: letters of month names are taken for pattern letters (`AMpril`)."""
    random_cuts_json: bool = False
    """§2: `random` and `pick` cut a single JSON list at its commas."""
    cbr_repeats_macro: bool = False
    """§2: `{{cbr::2}}` repeats the text `cbr::2`, not the line break."""
    reverse_takes_name: bool = False
    """§2: `{{reverse::ab}}` turns `reverse::ab` round, not `ab`."""


UNSAFE: Final = ("each_runs_items", "history_runs_messages")
"""By these a chat message can run as a template: no profile has them on."""

NATIVE: Final = Switches()
RECORDED: Final = Switches(**{field.name: True for field in fields(Switches)})
"""The program itself, which recorded cases are compared with."""
RISU: Final = replace(RECORDED, **dict.fromkeys(UNSAFE, False))
"""What the profile `risu` runs."""
