"""The dialect `sillytavern-legacy`: SillyTavern's macro engine of ordered replacements (docs/reference/dialects.md)."""

from lorewright.templates.legacy.render import Defects, is_template, passes, render

__all__ = ["Defects", "is_template", "passes", "render"]
