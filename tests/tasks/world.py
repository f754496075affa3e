"""A small world for tests of the task reader: the entries of seed 000's own tests, and a way to read them."""

from lorewright import make_tools
from lorewright.tasks.entry import BEFORE, TaskEntry, split_decorators
from lorewright.tasks.prompt import TaskRequest, build_task_prompt
from lorewright.tasks.scene import TaskScene
from lorewright.tasks.settings import read_task_settings
from lorewright.tasks.world import TaskTools, WorldRequest, read_world
from lorewright.templates.ejs import Sandbox

TOOLS = make_tools()
REGEXES = TOOLS.regexes
CONTEXT = {"recentMessages": "They came to the tower.", "charName": "Alice"}
SCENE = TaskScene(user="Max", char="Alice")

RESIDENT = "常驻设定"
TAGGED = "[mvu_update] 状态同步"
HEURISTIC = "MVU 启发式条目"
DYNAMIC = "EW/Dyn/线索"
SUMMARY = "内联汇总"
STATE = "<status_current_variable>secret=true</status_current_variable>"


def entry(name, content="", **fields):
    """An entry that is always active, unless `fields` say otherwise."""
    decorators, text = split_decorators(content)
    plain = {"book": "main", "uid": 1, "constant": True, "position": BEFORE, "order": 10.0}
    return TaskEntry(**{**plain, "name": name, "content": content, "decorators": decorators, "text": text, **fields})


def seed_book():
    """What the seed's tests speak of; `MVU note` is only a comment."""
    return [
        entry(RESIDENT, "The tower is old.", uid=1, order=10.0),
        entry(
            DYNAMIC, "hidden clue: <%= charName %>", uid=2, enabled=False, constant=False, keys=("继续",), order=15.0
        ),
        entry(SUMMARY, f'summary: <%= await getwi("{DYNAMIC}") %>', uid=3, order=20.0),
        entry(TAGGED, "tagged text", uid=4, comment="MVU tagged", order=28.0),
        entry(HEURISTIC, STATE, uid=5, order=29.0),
        entry("Comment probe", "probe", uid=6, comment="常驻 note", order=30.0),
    ]


class Shelf:
    """Books as lists of entries; counts what is read."""

    def __init__(self, state=0, /, **books):
        self.books = books
        self.state = state
        self.reads = []

    def read(self, name):
        self.reads.append(name)
        return self.books.get(name, [])


def read(settings, books=None, cache=None, now_ms=0, message="继续调查", context=CONTEXT, trusted=None):
    """Read `books` (the seed's book under the name `main` by default) for a task."""
    books = {"main": seed_book()} if books is None else books
    request = WorldRequest(
        settings=read_task_settings(settings),
        books=tuple(name for name in books if not name.startswith("lazy")),
        user_message=message,
        context=context,
        scene=SCENE,
    )
    with Sandbox() as sandbox:
        tools = TaskTools(REGEXES, sandbox, books if trusted is None else trusted, cache=cache)
        return read_world(request, Shelf(**books), tools, now_ms)


def prompt(settings, blocks, books=None, context=CONTEXT, task="recall", **request):
    """The prompt of a profile of these blocks."""
    books = {"main": seed_book()} if books is None else books
    profile = {"id": "p", "taskType": task, "builtin": False, "blocks": blocks}
    settings = {"taskProfiles": {task: {"activeProfileId": "p", "profiles": [profile]}}, **settings}
    with Sandbox() as sandbox:
        return build_task_prompt(
            TaskRequest(
                task=task,
                settings=settings,
                books=tuple(books),
                context={"userMessage": "继续调查", **context},
                scene=SCENE,
                **request,
            ),
            Shelf(**books),
            TaskTools(REGEXES, sandbox, books),
        )


def names(texts):
    """The entries of texts, by name."""
    return [text.entry.name for text in texts]
