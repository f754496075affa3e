"""Rules files: texts that are put into an agent's prompt, or change it, as a file says (spec injection-engine §8)."""

from lorewright.rules.file import RulesFile
from lorewright.rules.injection import Injection, inject
from lorewright.rules.rule import Rule
from lorewright.rules.ruleset import Ruleset, compile_rules, read_rules

__all__ = ["Injection", "Rule", "RulesFile", "Ruleset", "compile_rules", "inject", "read_rules"]
