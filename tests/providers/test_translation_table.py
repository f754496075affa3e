"""Every field, content part, event and stop reason of the SDKs' types has a verdict in each direction."""

import pytest
from anthropic.types import message_create_params
from openai.types.chat import completion_create_params
from openai.types.responses import response_create_params

from lorewright.providers.translation.chat_request import CHAT_TO_MESSAGES
from lorewright.providers.translation.messages_request import MESSAGES_TO_CHAT
from lorewright.providers.translation.responses_request import RESPONSES_TO_CHAT
from tests.providers.sdk_types import walk

REQUESTS = {
    "chat": (completion_create_params.CompletionCreateParamsStreaming, CHAT_TO_MESSAGES),
    "messages": (message_create_params.MessageCreateParamsStreaming, MESSAGES_TO_CHAT),
    "responses": (response_create_params.ResponseCreateParamsStreaming, RESPONSES_TO_CHAT),
}


def without_verdict(root, table):
    rows = table.rows
    paths = dict.fromkeys(walk(root, "", lambda path: path in rows and rows[path].verdict == "mapped"))
    return [path for path in paths if path not in rows]


@pytest.mark.parametrize(("root", "table"), REQUESTS.values(), ids=REQUESTS.keys())
def test_every_field_of_a_request_has_a_verdict(root, table):
    assert without_verdict(root, table) == []
