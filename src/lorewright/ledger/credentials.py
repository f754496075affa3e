"""Keys and passwords that got into a text, found by their form."""

from __future__ import annotations

import re
from typing import Any, Final

__all__ = ["REMOVED", "without_credentials"]

REMOVED: Final = "[secret removed]"
_FORMS: Final = re.compile(
    r"""
      \b(?:sk|pk|rk)-[A-Za-z0-9_-]{16,}                     # OpenAI, Anthropic and others
    | \b(?:sk|pk|rk)_(?:live|test)_[A-Za-z0-9]{16,}         # Stripe
    | \b(?:gh[pousr]_|github_pat_|glpat-|hf_|xai-|gsk_|npm_|pypi-)[A-Za-z0-9_-]{16,}
    | \bAIza[A-Za-z0-9_-]{30,}                              # Google
    | \b(?:AKIA|ASIA)[A-Z0-9]{16}\b                         # Amazon
    | \bxox[abeoprs]-[A-Za-z0-9-]{10,}                      # Slack
    | \beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]*   # a JSON web token
    | -----BEGIN[ A-Z]*PRIVATE\ KEY-----.*?(?:-----END[ A-Z]*PRIVATE\ KEY-----|\Z)
    | (?<=://)[^\s/:@]+:[^\s/@]+(?=@)                       # a name and password in an address
    | (?i:(?<=bearer\ )[A-Za-z0-9._~+/=-]{16,})
    | (?i:(?<=api_key=)|(?<=api-key=)|(?<=apikey=)|(?<=token=)|(?<=password=)|(?<=secret=)|(?<=key=))[^\s&"'<>]{8,}
    """,
    re.VERBOSE | re.DOTALL,
)


def without_credentials(value: Any) -> Any:
    """Plain data with every text of such a form replaced. It equals the value if there is none."""
    if isinstance(value, str):
        return _FORMS.sub(REMOVED, value)
    if isinstance(value, dict):
        return {without_credentials(name): without_credentials(item) for name, item in value.items()}
    return [without_credentials(item) for item in value] if isinstance(value, (list, tuple)) else value
