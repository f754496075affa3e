"""The field names of Markdown lorebooks, English and Chinese, and where each goes (spec formats §5).

The table has two parts: the names of the grammar, and after them the fields of the model that the grammar does not
name, under their model names, so that a book of any format can be written without loss.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from lorewright.formats.markdown.structured import GATE, LAYER, REPLACES
from lorewright.formats.markdown.values import FLAG, LEVEL, LIST, NUMBER, OPPOSITE, TEXT, ValueKind, choice

__all__ = [
    "EXTRA_FIELDS",
    "FIELDS",
    "KNOWN",
    "OWN",
    "Column",
    "FieldLine",
    "fold_name",
    "match_field",
    "match_known_field",
]

OWN: Final = "lorewright"
"""The name in `Entry.extra` under which stands what the model has no field for: priority, tags and the like."""

EXTRA_FIELDS: Final = "extra_fields"
"""The name in there for fields that nobody knows, as texts under the names of the file."""


@dataclass(frozen=True, slots=True)
class Column:
    """One field: its place in the model (or, with `own`, in `extra`), its sort of value, and its names.

    The first name of each language is the one that is written.
    """

    field: str
    kind: ValueKind
    english: tuple[str, ...]
    chinese: tuple[str, ...] = ()
    own: bool = False
    is_written: bool = True

    def name(self, *, chinese: bool) -> str:
        return self.chinese[0] if chinese and self.chinese else self.english[0]


def _model(field: str, kind: ValueKind, english: str, chinese: str = "") -> Column:
    return Column(field, kind, tuple(english.split()), tuple(chinese.split()))


def _own(field: str, kind: ValueKind, english: str, chinese: str = "") -> Column:
    return Column(field, kind, tuple(english.split()), tuple(chinese.split()), own=True)


_LOGIC: Final = choice(
    {"任一": 0, "andany": 0, "非全部": 1, "notall": 1, "非任一": 2, "notany": 2, "全部": 3, "andall": 3},
    range(4),
    {0: "and_any", 1: "not_all", 2: "not_any", 3: "and_all"},
    {0: "任一", 1: "非全部", 2: "非任一", 3: "全部"},
)
_POSITION: Final = choice(
    {
        "beforechar": 0,
        "afterchar": 1,
        "noteabove": 2,
        "notebelow": 3,
        "atdepth": 4,
        "examplesabove": 5,
        "examplesbelow": 6,
        "outlet": 7,
        "角色前": 0,
        "角色后": 1,
        "深度": 4,
        "出口": 7,
    },
    range(8),
    {0: "before_char", 1: "after_char", 2: "note_above", 3: "note_below", 4: "at_depth"}
    | {5: "examples_above", 6: "examples_below", 7: "outlet"},
    {0: "角色前", 1: "角色后", 4: "深度", 7: "出口"},
)
_ROLE: Final = choice(
    {"system": 0, "user": 1, "assistant": 2, "系统": 0, "用户": 1, "助手": 2},
    range(3),
    {0: "system", 1: "user", 2: "assistant"},
    {0: "系统", 1: "用户", 2: "助手"},
)

FIELDS: Final = (
    _own("id", TEXT, "id uid", "编号"),
    _model("keys", LIST, "keywords keyword keys key triggers", "关键词 关键字 触发词 主关键词"),
    _model("secondary", LIST, "secondary secondary_keys keysecondary", "副关键词 次要关键词"),
    _model("logic", _LOGIC, "logic", "逻辑"),
    _model("order", NUMBER, "order insertion_order", "顺序 排序"),
    _model("weight", NUMBER, "weight", "权重"),
    _own("priority", NUMBER, "priority", "优先级"),
    _model("enabled", FLAG, "enabled", "启用 开启"),
    Column("enabled", OPPOSITE, ("disabled",), ("禁用", "停用"), is_written=False),
    _model("constant", FLAG, "constant always", "常驻 恒定"),
    _model("position", _POSITION, "position", "位置"),
    _model("depth", NUMBER, "depth", "深度"),
    _model("role", _ROLE, "role", "角色身份 身份"),
    _model("probability", NUMBER, "probability", "概率"),
    _model("group", TEXT, "group", "分组 组"),
    _model("scan_depth", NUMBER, "scan_depth", "扫描深度"),
    _model("sticky", NUMBER, "sticky", "粘滞 持续"),
    _model("cooldown", NUMBER, "cooldown", "冷却"),
    _model("delay", NUMBER, "delay", "延迟"),
    _model("case_sensitive", FLAG, "case_sensitive", "区分大小写"),
    _model("whole_words", FLAG, "whole_words", "全词匹配"),
    _own("regex", FLAG, "regex", "正则"),
    _model("exclude_recursion", FLAG, "exclude_recursion", "不递归 排除递归"),
    _model("prevent_recursion", FLAG, "prevent_recursion", "阻止递归"),
    _model("delay_until_recursion", LEVEL, "delay_until_recursion", "递归延迟"),
    _model("authority", TEXT, "authority", "权威"),
    _model("source", TEXT, "source", "来源"),
    _model("level", NUMBER, "level", "层级"),
    _model("restricted_to", LIST, "restricted_to characters", "限定 限定角色"),
    _model("scene", TEXT, "scene", "场景"),
    _own("tags", LIST, "tags", "标签"),
    _own("comment", TEXT, "comment note", "备注"),
    # Not in the grammar: the rest of the model.
    Column("title", TEXT, ("title",), ("标题",), is_written=False),
    _model("selective", FLAG, "selective"),
    _model("outlet", TEXT, "outlet", "出口"),
    _model("use_probability", FLAG, "use_probability"),
    _model("group_override", FLAG, "group_override"),
    _model("group_weight", NUMBER, "group_weight", "组权重"),
    _model("group_scoring", FLAG, "group_scoring"),
    _model("ignore_budget", FLAG, "ignore_budget"),
    _model("triggers", LIST, "reply_kinds"),
    _model("subject", TEXT, "subject", "主体 主题"),
    _model("gate", GATE, "gate", "门 门禁"),
    _model("folder", TEXT, "folder", "文件夹 目录"),
    _model("layer", LAYER, "layer", "注入层"),
    _model("channel", TEXT, "channel", "通道"),
    _model("replaces", REPLACES, "replaces", "替换"),
    _model("cache_unsafe", FLAG, "cache_unsafe"),
    _model("seed_salt", TEXT, "seed_salt"),
    _model("freeze", FLAG, "freeze", "冻结"),
    _model("verbatim", FLAG, "verbatim"),
    *(
        _model(f"match_{source}", FLAG, f"match_{source}")
        for source in ("persona_description", "character_description", "character_personality")
    ),
    *(
        _model(f"match_{source}", FLAG, f"match_{source}")
        for source in ("character_depth_prompt", "scenario", "creator_notes")
    ),
)
"""In the order of writing."""

_IGNORED: Final = re.compile(r"[\s_-]+")


def fold_name(name: str) -> str:
    """A field name without what does not count in it: case, width, spaces, `_` and `-`."""
    return _IGNORED.sub("", unicodedata.normalize("NFKC", name)).casefold()


KNOWN: Final = {
    fold_name(name): (column, chinese)
    for column in FIELDS
    for chinese, names in ((False, column.english), (True, column.chinese))
    for name in names
}
"""By folded name: the field, and whether the name is Chinese."""

_FIELD: Final = re.compile(r"[-*+][ \t]+(?P<name>[^:：`\s][^:：`]{0,39}?)[ \t]{0,9}[:：](?P<value>.*)", re.DOTALL)
_BOLD: Final = re.compile(
    r"(?:[-*+][ \t]+)?\*\*(?P<name>[^:：`*\s][^:：`*]{0,39}?)[ \t]{0,9}(?:[:：]\*\*|\*\*[ \t]{0,9}[:：])(?P<value>.*)",
    re.DOTALL,
)
_LONGEST_UNKNOWN: Final = 24
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*")


@lru_cache(maxsize=1024)
def _look_up(name: str) -> tuple[Column | None, bool]:
    return KNOWN.get(fold_name(name), (None, False))


@dataclass(frozen=True, slots=True)
class FieldLine:
    """A line that has the shape of a field. `column` is None if nobody knows the name."""

    name: str
    value: str
    column: Column | None
    chinese: bool


def match_field(line: str) -> FieldLine | None:
    """The field in a line of a field block, or None. Bold labels count only if their name is known."""
    if line[:1] not in {"-", "*", "+"}:
        return None
    found = _BOLD.fullmatch(line) if "**" in line else None
    is_label = found is not None and line.startswith("**")
    found = found or _FIELD.fullmatch(line)
    if found is None:
        return None
    name, value = found["name"], found["value"]
    if value.startswith("//") and _SCHEME.fullmatch(name):
        return None
    column, chinese = _look_up(name)
    if column is None and (is_label or len(name) > _LONGEST_UNKNOWN):
        return None
    return FieldLine(name, value, column, chinese)


def match_known_field(line: str) -> FieldLine | None:
    """The same for names that are known."""
    found = match_field(line)
    return found if found and found.column else None
