"""The dialect `rules`: tolerant references and macros in the texts of rules (spec injection-engine §4.3-4.5)."""

from lorewright.templates.rules.context import Limits, RuleContext, join_variables
from lorewright.templates.rules.render import is_template, render, render_frame
from lorewright.templates.rules.st_import import prepare_text

__all__ = ["Limits", "RuleContext", "is_template", "join_variables", "prepare_text", "render", "render_frame"]
