"""The dialect `sillytavern`: the macro engine of SillyTavern 1.19.0 (spec macros; docs/reference/macros.md)."""

from lorewright.templates.sillytavern.registry import Macro
from lorewright.templates.sillytavern.render import MACROS, is_template, render
from lorewright.templates.sillytavern.run import KEPT, REPAIRED, Defects, Limits

__all__ = ["KEPT", "MACROS", "REPAIRED", "Defects", "Limits", "Macro", "is_template", "render"]
