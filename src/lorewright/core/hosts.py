"""Where the sections of an agent host's system prompt stand, as data, one record for each version of the host.

The numbers are those of `@deepseek-ai/dsh-system-prompt` (spec injection-engine §1.6). A host adds sections from version
to version; a program that speaks to another version adds a record here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

__all__ = ["HOSTS", "HOST_0_1_7", "HOST_RC8", "Host"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """One version of the host.

    sections, contexts: order numbers by the host's own constants. identity, persona: name and order of the sections
    that the host makes itself. layers: order numbers of the named anchors between them (§8.3). ties: what decides
    between equal order numbers.
    """

    version: str
    identity: tuple[str, float]
    persona: tuple[str, float]
    sections: Mapping[str, float]
    contexts: Mapping[str, float]
    layers: Mapping[str, float]
    ties: Literal["name", "registration"]


_LAYERS: Final[Mapping[str, float]] = MappingProxyType(
    {
        "before-identity": -1100,
        "before-persona": -500,
        "after-persona": 100,
        "policy": 700,
        "before-tools": 950,
        "tool-policy": 3150,
        "before-deliverables": 8500,
        "tail": 10300,
    }
)

HOST_0_1_7: Final = Host(
    version="0.1.7-alpha.1",
    identity=("harness:identity", -1000),
    persona=("deployment:persona-prefix", 0),
    sections=MappingProxyType(
        {
            "HARNESS_IDENTITY": -1000,
            "DEPLOYMENT_PERSONA_PREFIX": 0,
            "PLAN_POLICY": 500,
            "TEAM_POLICY": 600,
            "PTC_ONLY": 800,
            "FILE_REFERENCE": 900,
            "TOOL_BASH": 1000,
            "TOOL_PWSH": 1010,
            "TOOL_READ": 1100,
            "TOOL_WRITE": 1200,
            "TOOL_EDIT": 1300,
            "TOOL_GLOB": 1400,
            "TOOL_GREP": 1500,
            "TOOL_JOBS": 1600,
            "TOOL_PTY": 1700,
            "TOOL_WEB_SEARCH": 2000,
            "TOOL_WEB_FETCH": 2100,
            "TOOL_LSP": 2200,
            "TOOL_SESSION_QUERY": 2300,
            "TOOL_GOAL": 2400,
            "TOOL_WORKFLOW": 2600,
            "TOOL_RALPH": 2700,
            "TOOL_SUBAGENT": 2800,
            "TOOL_REPORT": 2900,
            "TOOL_COMPUTER_USE": 3000,
            "MCP_SERVERS": 3100,
            "TOOLS_SDK": 5000,
            "DELIVERABLE_FILE_REFERENCES": 9000,
            "STRUCTURED_OUTPUT": 9900,
            "HARNESS_SOURCE": 10000,
            "WEB_SURFACE": 10100,
            "DEPLOYMENT_PERSONA_SUFFIX": 10200,
        }
    ),
    contexts=MappingProxyType({"SANDBOX_POLICY": 110, "APPROVAL_POLICY": 115, "SUBAGENT_DELEGATION": 120}),
    layers=_LAYERS,
    ties="name",
)

HOST_RC8: Final = Host(
    version="0.1.0-rc.8",
    identity=("harness:identity", -100),
    persona=("deployment:persona", 0),
    sections=MappingProxyType({"HARNESS_IDENTITY": -100, "DEPLOYMENT_PERSONA": 0, "COLLAPSE": 99, "TOOLS_SDK": 150}),
    contexts=MappingProxyType({}),
    layers=_LAYERS,
    ties="registration",
)
"""The version that the cases of `host-system-prompt` were recorded with. Its tools stand from 100 to 199."""

HOSTS: Final[Mapping[str, Host]] = MappingProxyType({host.version: host for host in (HOST_0_1_7, HOST_RC8)})
