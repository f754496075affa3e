"""Layers and channels. The orders are those of the specification's table, the routes those of the cases."""

import math

import pytest

from lorewright.core.hosts import HOST_0_1_7, HOSTS
from lorewright.core.layers import Route, find_route, order_of, read_channel, read_layer, section_name, sort_key

LAYERS = {
    "before-identity": -1100,
    "before-persona": -500,
    "after-persona": 100,
    "policy": 700,
    "before-tools": 950,
    "tool-policy": 3150,
    "before-deliverables": 8500,
    "tail": 10300,
}


def test_the_eight_anchors():
    assert dict(HOST_0_1_7.layers) == LAYERS
    assert {name: order_of(name) for name in LAYERS} == LAYERS


def test_the_hosts_own_sections():
    assert len(HOST_0_1_7.sections) == 32
    assert len(HOST_0_1_7.contexts) == 3
    assert list(HOST_0_1_7.sections.values()) == sorted(HOST_0_1_7.sections.values())
    assert all(host.version == version for version, host in HOSTS.items())


def test_anchors_stand_where_their_names_say():
    sections = HOST_0_1_7.sections

    assert LAYERS["before-identity"] < sections["HARNESS_IDENTITY"] < LAYERS["before-persona"]
    assert LAYERS["before-persona"] < sections["DEPLOYMENT_PERSONA_PREFIX"] < LAYERS["after-persona"]
    assert LAYERS["before-tools"] < sections["TOOL_BASH"]
    assert sections["MCP_SERVERS"] < LAYERS["tool-policy"] < sections["TOOLS_SDK"]
    assert LAYERS["before-deliverables"] < sections["DELIVERABLE_FILE_REFERENCES"]
    assert sections["DEPLOYMENT_PERSONA_SUFFIX"] < LAYERS["tail"]


@pytest.mark.parametrize(
    ("value", "layer"),
    [
        ("tail", "tail"),
        (3000, 3000),
        (2.5, 2.5),
        ("3000", 3000),
        (-0.5, -0.5),
        ("Tail", None),
        ("", None),
        (" ", None),
        (True, None),
        (None, None),
        (math.inf, None),
        (math.nan, None),
        ([1], None),
    ],
)
def test_a_layer_is_an_anchor_or_a_number(value, layer):
    found = read_layer(value)

    assert found == layer
    assert type(found) is type(layer)


def test_channels_by_name():
    values: list[object] = ["system", "message", "System", None, 1, []]

    assert [read_channel(value) for value in values] == ["system", "message", None, None, None, None]


def test_only_selective_entries_of_the_system_prompt_are_rerouted():
    assert find_route("system", selective=True) == Route("system", "message")
    assert find_route("system", selective=True).badge == "rerouted"
    for kept in (
        find_route("system", selective=False),
        find_route("message", selective=True),
        find_route("system", selective=True, cache_safe=False),
        find_route("system", selective=True, cache_unsafe=True),
    ):
        assert not kept.is_rerouted
        assert kept.badge is None


def test_sections_are_sorted_by_layer_then_file_then_id():
    assert sorted([sort_key(1, 1, "a"), sort_key(1, 0, "b"), sort_key(0, 9, "c")]) == [
        *((0, 9, "c"), (1, 0, "b"), (1, 1, "a")),
    ]
    assert section_name("sys-redact") == "lorebook-prompt:sys-redact"
