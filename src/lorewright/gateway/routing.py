"""From the model's name in a request to the route, the upstream and the name it has there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Final
from urllib.parse import quote

from lorewright.gateway.configuration import MIRROR, Configuration, Route, Upstream
from lorewright.gateway.endpoints import ENDPOINTS
from lorewright.gateway.refusal import Refusal

__all__ = ["MIRROR_UPSTREAM", "ROUTE_HEADER", "Choice", "choose", "needs_list"]

MIRROR_UPSTREAM: Final = Upstream(name=MIRROR, base_url="", apis=frozenset(ENDPOINTS) - {"embeddings"})
ROUTE_HEADER: Final = b"x-lorewright-route"
_PLAIN: Final = " !#$&'()*+-./:=?@[]^_`{|}~"
_AT_MIRROR: Final = f"@{MIRROR}"
_MOST_NAMED: Final = 50


@dataclass(frozen=True, slots=True)
class Choice:
    """Where a request goes. model: the name that the upstream gets. by_default: nothing but the default route took the
    name, so it may be misspelt."""

    route: Route
    upstream: Upstream
    model: str
    by_default: bool = False

    @property
    def header(self) -> tuple[bytes, bytes]:
        """Which route it is, for the client. What is no plain character of a header is percent-encoded."""
        name = quote(self.route.name, safe=_PLAIN)
        return ROUTE_HEADER, f"{name}; default".encode() if self.by_default else name.encode()


def choose(model: str, configuration: Configuration, listed: Mapping[str, str]) -> Choice:
    """Choose by the name: a route, then an upstream that claims or lists the model, then the default route.

    listed: the upstream of each model that upstreams list. `NAME@mirror` is the route NAME, answered by the mirror.

    Raises:
        Refusal: nothing takes this name; the message says which names are known.
    """
    found = _named_route(model, configuration) or _upstream_route(model, configuration, listed)
    default = configuration.default_route
    route = found or (_named_route(default, configuration) if default is not None else None)
    if route is None:
        raise Refusal("model_not_found", _unknown(model, configuration, listed), param="model")
    return Choice(route, _upstream_of(route, configuration), route.model or model, by_default=found is None)


def needs_list(model: str, configuration: Configuration) -> bool:
    """Whether the choice depends on what the upstreams list."""
    if _named_route(model, configuration) or _claiming(model, configuration):
        return False
    return len(configuration.upstreams) > 1 or configuration.default_route is None


def _upstream_of(route: Route, configuration: Configuration) -> Upstream:
    return MIRROR_UPSTREAM if route.upstream == MIRROR else configuration.upstreams[route.upstream]


def _named_route(model: str, configuration: Configuration) -> Route | None:
    routes = configuration.routes
    if model in routes:
        return routes[model]
    if model.removesuffix(_AT_MIRROR) in routes:
        return replace(routes[model.removesuffix(_AT_MIRROR)], upstream=MIRROR)
    if model == MIRROR:
        default = routes.get(configuration.default_route or "")
        return replace(default, upstream=MIRROR) if default else Route(name=MIRROR, upstream=MIRROR, weave=False)
    return None


def _upstream_route(model: str, configuration: Configuration, listed: Mapping[str, str]) -> Route | None:
    """The default route if it leads to the model's upstream, with the model that was asked for; else a plain way."""
    name = _claiming(model, configuration) or listed.get(model)
    if name not in configuration.upstreams:
        return None
    default = configuration.routes.get(configuration.default_route or "")
    if default is not None and default.upstream == name:
        return replace(default, model=None)
    return Route(name=name, upstream=name, weave=False)


def _claiming(model: str, configuration: Configuration) -> str | None:
    """The first upstream whose patterns have this model."""
    return next(
        (
            upstream.name
            for upstream in configuration.upstreams.values()
            if any(fnmatchcase(model, pattern) for pattern in upstream.models)
        ),
        None,
    )


def _unknown(model: str, configuration: Configuration, listed: Mapping[str, str]) -> str:
    patterns = (pattern for upstream in configuration.upstreams.values() for pattern in upstream.models)
    known = list(dict.fromkeys((*configuration.routes, MIRROR, *patterns, *sorted(listed))))
    more = f" and {len(known) - _MOST_NAMED:,} more" if len(known) > _MOST_NAMED else ""
    return f"There is no model `{model:.200}` here. Known: {', '.join(known[:_MOST_NAMED])}{more}."
