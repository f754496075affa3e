"""The types of the SDKs as data: which fields there are, and what can stand in them."""

import types
import typing
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

import typing_extensions


class Field(NamedTuple):
    """classes: the objects that may stand in it. values: the words it may be, if it is one of a known few."""

    name: str
    classes: tuple[type, ...]
    values: tuple[str, ...]


def classes_in(hint: Any) -> tuple[type, ...]:
    """The objects that a type may be."""
    return tuple(dict.fromkeys(leaf for leaf in _leaves(hint) if isinstance(leaf, type) and _is_shape(leaf)))


def fields_of(cls: type) -> Iterator[Field]:
    """The fields of a TypedDict or a model."""
    for name, hint in _hints(cls).items():
        found = list(_leaves(hint))
        words = tuple(dict.fromkeys(leaf for leaf in found if isinstance(leaf, str)))
        yield Field(name, classes_in(hint), () if str in found else words)


def kinds_of(cls: type) -> tuple[str, ...]:
    """The words by which an object of this class is known, as the value of its `type`, or of a `role` that can only be
    one; none: it is alone."""
    return _discriminator(cls)[1]


def _discriminator(cls: type) -> tuple[str, tuple[str, ...]]:
    hints = _hints(cls)
    for name in ("type", "role"):
        words = tuple(leaf for leaf in _leaves(hints.get(name)) if isinstance(leaf, str))
        if words and (name == "type" or len(words) == 1):
            return name, words
    return "", ()


def walk(cls: type, prefix: str, is_mapped: typing.Callable[[str], bool]) -> Iterator[str]:
    """Every path below a class that needs a verdict: fields, kinds of objects in them, words in them. What is below a
    path that is not mapped needs none. A path that leads back to a class it is in is not followed again."""
    yield from _walk(cls, prefix, is_mapped, ())


def _walk(cls: type, prefix: str, is_mapped: typing.Callable[[str], bool], above: tuple[type, ...]) -> Iterator[str]:
    discriminator = _discriminator(cls)[0] if prefix else ""
    for field in fields_of(cls):
        if field.name == discriminator:
            continue
        path = f"{prefix}{field.name}"
        yield path
        if not is_mapped(path):
            continue
        if len(field.values) > 1:
            yield from (f"{path}={value}" for value in field.values)
        for inner in field.classes:
            if inner in above:
                continue
            kinds = kinds_of(inner)
            yield from (f"{path}[{kind}]" for kind in kinds)
            for kind in kinds or ("",):
                inside = f"{path}[{kind}]" if kind else path
                if is_mapped(inside):
                    yield from _walk(inner, f"{inside}.", is_mapped, (*above, cls))


def _hints(cls: type) -> dict[str, Any]:
    fields = getattr(cls, "model_fields", None)
    if fields is not None:
        return {field.alias or name: field.annotation for name, field in fields.items()}
    return get_type_hints(cls, include_extras=True)


def _is_shape(value: Any) -> bool:
    return typing_extensions.is_typeddict(value) or bool(getattr(value, "model_fields", None))


def _leaves(hint: Any) -> Iterator[Any]:
    """The classes and words within a type."""
    origin = get_origin(hint)
    if origin is Literal or origin is typing_extensions.Literal:
        yield from (value for value in get_args(hint) if isinstance(value, str))
    elif origin is typing.Annotated:
        yield from _leaves(get_args(hint)[0])
    elif origin is not None or isinstance(hint, types.UnionType):
        for inner in get_args(hint):
            yield from _leaves(inner)
    elif isinstance(hint, type):
        yield hint
