"""The parsers of all dialects as one kind of thing, so that every property is written once (test_parsers.py)."""

from tests.properties.parsers.risu import CBS
from tests.properties.parsers.rule_texts import RULES
from tests.properties.parsers.sillytavern import NEW_ENGINE, OLD_ENGINE, REPAIRED_ENGINE
from tests.properties.parsers.small import BME, BME_BLOCKS, HOST_STRICT

__all__ = ["CBS", "PARSERS", "RULES"]

PARSERS = {
    "sillytavern": NEW_ENGINE,
    "sillytavern, repaired": REPAIRED_ENGINE,
    "sillytavern-legacy": OLD_ENGINE,
    "cbs": CBS,
    "rules": RULES,
    "bme": BME,
    "bme, in blocks": BME_BLOCKS,
    "host-strict": HOST_STRICT,
}
