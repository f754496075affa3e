"""A fake upstream and a gateway before it. Both run all the time; every test gets them as new."""

import pytest

from lorewright.gateway.configuration import Configuration, Route, Upstream
from lorewright.gateway.endpoints import ENDPOINTS
from lorewright.testing.fake_upstream import FakeUpstream
from tests.gateway.running import RunningGateway


@pytest.fixture(scope="session")
def _lasting_fake():
    with FakeUpstream() as running:
        yield running


@pytest.fixture(scope="session")
def _lasting_gateway():
    with RunningGateway(Configuration()) as running:
        yield running


@pytest.fixture
def fake(_lasting_fake):
    _lasting_fake.reset()
    return _lasting_fake


@pytest.fixture
def upstream(fake):
    return Upstream(name="local", base_url=fake.base_url, apis=frozenset(ENDPOINTS))


@pytest.fixture
def configuration(upstream):
    """One upstream, a route that renames the model, and a default route that does not."""
    return Configuration(
        upstreams={"local": upstream},
        routes={
            "aria": Route(name="aria", upstream="local", model="m"),
            "any": Route(name="any", upstream="local"),
        },
        default_route="any",
    )


@pytest.fixture
def gateway(configuration, _lasting_gateway):
    _lasting_gateway.service.configuration = configuration
    return _lasting_gateway
