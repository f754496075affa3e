"""Everything that can be said to the task reader, and everything it says, stands on the page about it."""

from pathlib import Path
from typing import get_args

import pytest

from lorewright.mvu.detect import IgnoreReason
from lorewright.tasks.messages import INPUT_FIELDS, LORE_KEYS
from lorewright.tasks.profile import TASKS
from lorewright.tasks.settings import FILTER_SETTINGS
from lorewright.tasks.warnings import WarningKind

PAGE = (Path(__file__).resolve().parent.parent / "docs" / "reference" / "tasks.md").read_text("utf-8")
REASONS = (*get_args(IgnoreReason), "custom_keyword", "disabled")


@pytest.mark.parametrize(
    "name", [*TASKS, *FILTER_SETTINGS, *INPUT_FIELDS, *LORE_KEYS, *REASONS, *get_args(WarningKind)]
)
def test_name_is_explained(name):
    assert f"`{name}`" in PAGE
