"""What the tests of weaving share: dialects, and a request to which the engine has added nothing."""

from lorewright.core.woven import Piece, WovenMessage
from lorewright.providers.dialect import Dialect
from lorewright.providers.request import Request

FREE = Dialect()
STRICT = Dialect(system_in_middle=False, roles_must_alternate=True)
NO_MIDDLE = Dialect(system_in_middle=False)


def untouched(request: Request):
    return [
        WovenMessage(at, message.role, message.name, (Piece("client", "", message.text),))
        for at, message in enumerate(request.messages)
    ]
