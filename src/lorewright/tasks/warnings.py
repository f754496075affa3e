"""What a person should know of a reading: a kind for programs, and the sentence of the recorded program.

The sentences of the default mode are part of what may not change (spec mvu-filter §11), so they stand here as they are
recorded; kinds that the recorded program does not have speak English.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

__all__ = ["TaskWarning", "WarningKind"]

WarningKind = Literal[
    "legacy_names",
    "unsupported_helper",
    "engine_missing",
    "not_trusted",
    "render_failed",
    "looks_like_mvu",
    "pass_limit",
    "recursive_getwi",
    "getwi_too_deep",
    "filtered_entry",
    "target_not_found",
    "lazy_load_failed",
    "slow_key",
]

_SENTENCES: Final[dict[WarningKind, str]] = {
    "legacy_names": "检测到旧 EW 命名条目 ({0})；这些条目现在只按普通世界书条目处理，不再有专用魔法行为",
    "unsupported_helper": "世界书条目 {0} 调用了不支持的 helper: {1}",
    "engine_missing": "世界书条目 {0} 依赖 EJS runtime，当前已跳过",
    "not_trusted": "The entry `{0}` holds code, and its book is not trusted, so it is left out.",
    "render_failed": "世界书条目 {0} 渲染失败，已跳过",
    "looks_like_mvu": "世界书条目 {0} 渲染结果命中 MVU 规则，已跳过",
    "pass_limit": "世界书 EJS 激活达到递归上限 {0}，已停止继续展开",
    "recursive_getwi": "recursive getwi blocked: {0}",
    "getwi_too_deep": "getwi recursion limit reached: {0}",
    "filtered_entry": "mvu filtered world info blocked: {0}",
    "target_not_found": "activewi target not found: {0}",
    "lazy_load_failed": "lazy load worldbook failed: {0}",
    "slow_key": "The key `{0}` took too long and was given up; it does not match.",
}


@dataclass(frozen=True, slots=True)
class TaskWarning:
    """subject: the entry, book or key it is about, as the sentence names it. detail: the function, or why (not in the
    sentence)."""

    kind: WarningKind
    subject: str
    detail: str = ""

    @property
    def text(self) -> str:
        """The sentence."""
        return _SENTENCES[self.kind].format(self.subject, self.detail)
