"""The file formats that are known by name, and which of them this version reads.

To read one more, give its kind a reader in `formats/read.py` and the name of that reader here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

__all__ = ["KINDS", "Kind", "Reading", "readable"]

Reading = Literal["book", "card", "chat", "thing", "persona"]


@dataclass(frozen=True, slots=True)
class Kind:
    """A format: its id, what a person calls it, and what can be read from it."""

    id: str
    title: str
    reads: tuple[Reading, ...] = ()


_CARD: Final[tuple[Reading, ...]] = ("card", "book")
_THING: Final[tuple[Reading, ...]] = ("thing",)
_PERSONA: Final[tuple[Reading, ...]] = ("persona",)

KINDS: Final = {
    kind.id: kind
    for kind in (
        Kind("native_yaml", "a Lorewright book (YAML)", ("book",)),
        Kind("native_json", "a Lorewright book (JSON)", ("book",)),
        Kind("native_preset", "a Lorewright preset (YAML or JSON)", _THING),
        Kind("native_card", "a Lorewright card (YAML or JSON)", _CARD),
        Kind("native_persona", "a Lorewright persona (YAML or JSON)", _PERSONA),
        Kind("st_worldinfo", "a SillyTavern world info book", ("book",)),
        Kind("card_v1", "a character card V1 (JSON)", _CARD),
        Kind("card_v2", "a character card V2 (JSON)", _CARD),
        Kind("card_v3", "a character card V3 (JSON)", _CARD),
        Kind("card_newer", "a character card newer than V3 (JSON)", _CARD),
        Kind("card_v1_png", "a character card V1 in a PNG picture", _CARD),
        Kind("card_v2_png", "a character card V2 in a PNG picture", _CARD),
        Kind("card_v3_png", "a character card V3 in a PNG picture", _CARD),
        Kind("card_newer_png", "a character card newer than V3 in a PNG picture", _CARD),
        Kind("card_v1_webp", "a character card V1 in a WebP picture", _CARD),
        Kind("card_v2_webp", "a character card V2 in a WebP picture", _CARD),
        Kind("card_v3_webp", "a character card V3 in a WebP picture", _CARD),
        Kind("card_newer_webp", "a character card newer than V3 in a WebP picture", _CARD),
        Kind("card_v1_jpeg", "a character card V1 in a JPEG picture", _CARD),
        Kind("card_v2_jpeg", "a character card V2 in a JPEG picture", _CARD),
        Kind("card_v3_jpeg", "a character card V3 in a JPEG picture", _CARD),
        Kind("card_newer_jpeg", "a character card newer than V3 in a JPEG picture", _CARD),
        Kind("card_pygmalion", "a Pygmalion or Gradio character", _CARD),
        Kind("card_ooba", "a character of text-generation-webui (JSON)", _CARD),
        Kind("card_yaml", "a character card in YAML", _CARD),
        Kind("charx", "a CHARX card (ZIP archive)", _CARD),
        Kind("charx_jpeg", "a CHARX card behind a JPEG picture", _CARD),
        Kind("byaf", "a Backyard character archive", _CARD),
        Kind("st_chat", "a SillyTavern chat (JSON lines)", ("chat",)),
        Kind("named_messages", "a list of messages with names (`name`, `mes`)", ("chat",)),
        Kind("role_messages", "a list of messages with roles (`role`, `content`)", ("chat",)),
        Kind("chat_request", "a request body of the OpenAI or Anthropic API", ("chat",)),
        Kind("markdown_lorebook", "a Markdown lorebook", ("book",)),
        Kind("character_book", "a character book outside a card", ("book",)),
        Kind("lorebook_v3", "a standalone V3 lorebook", ("book",)),
        Kind("chub_lorebook", "a Chub or Venus lorebook", ("book",)),
        Kind("novelai_lorebook", "a NovelAI lorebook", ("book",)),
        Kind("novelai_story", "a NovelAI scenario or story", ("book",)),
        Kind("novelai_lorebook_png", "a NovelAI lorebook in a PNG picture", ("book",)),
        Kind("agnai_book", "an Agnai memory book", ("book",)),
        Kind("agnai_character", "an Agnai character", ("book",)),
        Kind("risu_lorebook", "a RisuAI lorebook", ("book",)),
        Kind("risu_memory_preset", "a RisuAI memory preset", _THING),
        Kind("risu_module", "a RisuAI module", ("book",)),
        Kind("risu_preset", "a RisuAI preset", _THING),
        Kind("risu_regex", "a list of RisuAI regex scripts", _THING),
        Kind("risum", "a RisuAI module file (.risum)", ("book",)),
        Kind("st_preset_chat", "a SillyTavern chat completion preset", _THING),
        Kind("st_prompt_export", "a SillyTavern prompt manager export", _THING),
        Kind("st_master_export", "a SillyTavern master export of formatting settings", _THING),
        Kind("st_instruct", "a SillyTavern instruct template", _THING),
        Kind("st_context", "a SillyTavern context template", _THING),
        Kind("st_sysprompt", "a SillyTavern system prompt", _THING),
        Kind("st_preset_textgen", "a SillyTavern text completion preset", _THING),
        Kind("st_personas", "a backup of SillyTavern's personas", _PERSONA),
        Kind("st_settings", "a SillyTavern settings file"),
        Kind("st_regex", "a SillyTavern regex script", _THING),
        Kind("st_quickreply", "a set of SillyTavern quick replies", _THING),
        Kind("kobold_story", "a KoboldAI story", ("book",)),
        Kind("aidungeon_wi", "an AI Dungeon world info list", ("book",)),
        Kind("janitor_lorebook", "a JanitorAI lorebook", ("book",)),
        Kind("entry_list", "a bare list of lorebook entries", ("book",)),
        Kind("bundle", "a list of several cards or books", ("book",)),
        Kind("static_knowledge", "an SQLite database with a table `static_knowledge`", ("book",)),
        Kind("agent_rules", "a file of rules for coding agents", ("book",)),
        # Known by name only.
        Kind("risu_preset_file", "a packed RisuAI preset (.risup, .risupreset)"),
        Kind("sqlite", "an SQLite database"),
        Kind("zip", "a ZIP archive"),
        Kind("jpeg", "a JPEG picture"),
        Kind("webp", "a WebP picture"),
        Kind("png", "a PNG picture without a card"),
        Kind("gzip", "a gzip archive"),
        Kind("rar", "a RAR archive"),
        Kind("seven_zip", "a 7z archive"),
        Kind("pickle", "a Python pickle, which could run code when opened"),
        Kind("lfs_pointer", "a Git LFS pointer: a note that names the file, not the file itself"),
        Kind("yaml", "YAML text"),
    )
}


def readable(reading: Reading | None = None) -> tuple[Kind, ...]:
    """The kinds that can be read, or those from which a book, a card, a persona or the like can be read."""
    return tuple(kind for kind in KINDS.values() if (reading in kind.reads if reading else kind.reads))
