"""Random conversations that the real APIs would take, in the shape of each of them."""

from typing import Any, NamedTuple

from hypothesis import strategies as st

from tests.providers.validator import Body

PIXEL = "iVBORw0KGgo="
WORDS = st.sampled_from(["hello", "灯塔", "a\nb", "salt  ", "wolf?"])


class Step(NamedTuple):
    """A user's message and what followed: rounds of calls (numbers of parallel calls), and a reply."""

    texts: list[str]
    has_image: bool
    rounds: list[int]
    has_thought: bool
    reply: str
    extra: str
    """What the user says in the message that brings the last results (Messages only); empty: nothing."""


STEPS = st.lists(
    st.builds(
        Step,
        st.lists(WORDS, min_size=1, max_size=2),
        st.booleans(),
        st.lists(st.integers(1, 2), max_size=2),
        st.booleans(),
        WORDS,
        st.sampled_from(["", "", "go on"]),
    ),
    min_size=1,
    max_size=4,
)
ENDS = st.sampled_from(["user", "results", "prefill"])
SYSTEMS = st.sampled_from(["", "Be short.", "parts"])


def chat_of(steps: list[Step], end: str, system: str, word: str = "system") -> Body:
    messages: list[Any] = []
    if system:
        messages.append({"role": word, "content": [_text("Be short.")] if system == "parts" else system})
    number = 0
    for step, is_last in _with_last(steps):
        messages.append({"role": "user", "content": _user(step, _text, _chat_image)})
        for count in _rounds(step, is_last, end):
            calls = [f"c{number + n}" for n in range(count)]
            number += count
            made = [{"id": c, "type": "function", "function": {"name": "tide", "arguments": "{}"}} for c in calls]
            thought = {"reasoning_content": "hm"} if step.has_thought else {}
            messages.append({"role": "assistant", "content": None, **thought, "tool_calls": made})
            messages += [{"role": "tool", "tool_call_id": call, "content": "high"} for call in calls]
        if not is_last or end == "prefill":
            messages.append({"role": "assistant", "content": step.reply.strip()})
    return {"model": "m", "messages": messages, "stream": True, "x_unknown": {"kept": [1]}}


def messages_of(steps: list[Step], end: str, system: str) -> Body:
    messages: list[Any] = []
    number = 0
    for step, is_last in _with_last(steps):
        messages.append({"role": "user", "content": _user(step, _text, _anthropic_image)})
        rounds = _rounds(step, is_last, end)
        for at, count in enumerate(rounds):
            calls = [f"c{number + n}" for n in range(count)]
            number += count
            thought = [{"type": "thinking", "thinking": "hm", "signature": "s"}] if step.has_thought else []
            made = [{"type": "tool_use", "id": call, "name": "tide", "input": {}} for call in calls]
            messages.append({"role": "assistant", "content": [*thought, *made]})
            results: list[Any] = [{"type": "tool_result", "tool_use_id": call, "content": "high"} for call in calls]
            extra = [_text(step.extra)] if step.extra and at == len(rounds) - 1 else []
            messages.append({"role": "user", "content": [*results, *extra]})
        if not is_last or end == "prefill":
            messages.append({"role": "assistant", "content": step.reply.strip()})
    body: Body = {"model": "m", "max_tokens": 9, "messages": messages, "x_unknown": {"kept": [1]}}
    if system:
        body["system"] = [_text("Be short.")] if system == "parts" else system
    return body


def responses_of(steps: list[Step], end: str, system: str) -> Body:
    items: list[Any] = []
    number = 0
    for step, is_last in _with_last(steps):
        items.append({"role": "user", "content": _user(step, _input_text, _input_image)})
        for count in _rounds(step, is_last, end):
            calls = [f"c{number + n}" for n in range(count)]
            number += count
            items += [{"type": "reasoning", "id": f"rs{number}", "summary": []}] if step.has_thought else []
            items += [{"type": "function_call", "call_id": c, "name": "tide", "arguments": "{}"} for c in calls]
            items += [{"type": "function_call_output", "call_id": c, "output": "high"} for c in calls]
        if not is_last or end == "prefill":
            said = {"type": "output_text", "text": step.reply.strip(), "annotations": []}
            items.append({"type": "message", "role": "assistant", "content": [said]})
    body: Body = {"model": "m", "input": items, "x_unknown": {"kept": [1]}}
    if len(items) == 1 and isinstance(items[0]["content"], str):
        body["input"] = items[0]["content"]
    if system:
        body["instructions"] = "Be short."
    return body


def _with_last(steps: list[Step]) -> list[tuple[Step, bool]]:
    return [(step, at == len(steps) - 1) for at, step in enumerate(steps)]


def _rounds(step: Step, is_last: bool, end: str) -> list[int]:
    """The rounds of calls of a step: the last step has them only if the conversation ends in results."""
    return (step.rounds or [1]) if is_last and end == "results" else [] if is_last else step.rounds


def _user(step: Step, text: Any, image: Any) -> Any:
    if len(step.texts) == 1 and not step.has_image:
        return step.texts[0]
    parts = [text(said) for said in step.texts]
    return [*parts[:1], image(), *parts[1:]] if step.has_image else parts


def _text(text: str) -> Any:
    return {"type": "text", "text": text}


def _input_text(text: str) -> Any:
    return {"type": "input_text", "text": text}


def _chat_image() -> Any:
    return {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXEL}"}}


def _anthropic_image() -> Any:
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}}


def _input_image() -> Any:
    return {"type": "input_image", "image_url": f"data:image/png;base64,{PIXEL}"}
