"""EJS: code in texts of books, run in a sandbox (docs/explanation/sandbox.md, ADR 0027).

    with Sandbox() as sandbox, sandbox.generation(scene, answer, trusted={"main"}) as generation:
        found = generation.render("main", "Hello <%= user %>", tag="main::1")

`answer` is asked for what only the outside knows (`getwi`, `activewi`, lists of entries); see `scene.Request`.
"""

from lorewright.templates.ejs.generation import Generation, Sandbox
from lorewright.templates.ejs.limits import Limits
from lorewright.templates.ejs.scene import (
    Answer,
    Answerer,
    Change,
    ChatText,
    Denied,
    FunctionSet,
    Nested,
    Output,
    Pattern,
    Refused,
    Request,
    Scene,
    Value,
)
from lorewright.templates.ejs.tags import is_template

__all__ = [
    "Answer",
    "Answerer",
    "Change",
    "ChatText",
    "Denied",
    "FunctionSet",
    "Generation",
    "Limits",
    "Nested",
    "Output",
    "Pattern",
    "Refused",
    "Request",
    "Sandbox",
    "Scene",
    "Value",
    "is_template",
]
