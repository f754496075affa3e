"""Trees, replies and histories of MVU cards, as strange as they come."""

import json
from dataclasses import fields

from hypothesis import strategies as st

from lorewright.mvu.behaviour import CAREFUL, Behaviour
from lorewright.mvu.budget import DEEPEST, LARGEST_TREE
from lorewright.mvu.record import Record
from lorewright.mvu.schema import generate, strip
from lorewright.mvu.values import FORBIDDEN, measure

NAMES = ("hp", "bag", "rope", "生命", "a.b", "0", "1", "log", "it's", "_own", "day", "")
names = st.sampled_from(NAMES)
leaves = st.sampled_from([0, 1, -3.5, 80, "", "12", "rope", "2024-01-01", "{{user}}", "x: y", True, False, None])
marks = st.fixed_dictionaries(
    {},
    optional={
        "extensible": st.booleans(),
        "recursiveExtensible": st.booleans(),
        "required": st.lists(names, max_size=2),
        "template": st.sampled_from([{"hp": 1}, [1, 2], {"bag": {"rope": 1}}, "x"]),
        "strictSet": st.booleans(),
    },
)
ARRAY_MARKS = ("$__META_EXTENSIBLE__$", {"$arrayMeta": True, "$meta": {"extensible": True, "template": {"hp": 1}}})


def values(*, marked=False):
    def inside(below):
        described = st.tuples(below, st.just("what it is")).map(list)
        lists = st.lists(below, max_size=3) | described
        objects = st.dictionaries(names, below, max_size=4)
        if marked:
            lists |= st.tuples(lists, st.sampled_from(ARRAY_MARKS)).map(lambda pair: [*pair[0], pair[1]])
            objects |= st.tuples(objects, marks).map(lambda pair: {"$meta": pair[1], **pair[0]})
        return lists | objects

    return st.recursive(leaves, inside, max_leaves=10)


trees = st.dictionaries(names, values(), max_size=5)
authored = st.tuples(st.dictionaries(names, values(marked=True), max_size=5), marks).map(
    lambda pair: {"$meta": pair[1], **pair[0]}
)
records = authored.map(lambda tree: Record(strip(tree), generate(tree), display={}, delta={}, others={}))
behaviours = st.builds(Behaviour, **{field.name: st.booleans() for field in fields(Behaviour)}) | st.just(CAREFUL)

PATHS = (
    *(
        "hp",
        "bag",
        "bag.rope",
        "bag.0",
        "bag[0]",
        "bag['it\\'s']",
        "生命",
        "a.b",
        "log.1",
        "day",
        "",
        ".",
        "a..b",
        "0.0",
    ),
    *(
        "bag.length",
        "__proto__.x",
        "bag.constructor",
        "$internal",
        "stat_data.hp",
        '"hp"',
        "bag[-1]",
        "_own",
        "bag. rope",
    ),
)
ARGUMENTS = (
    *(
        "1",
        "-2.5",
        "'5'",
        '"a, b"',
        "10 * 2",
        "1/0",
        "true",
        "null",
        "undefined",
        "NaN",
        "[1, 2]",
        "{a: 1}",
        "[剑, 盾]",
    ),
    *(
        "{__proto__: 1}",
        "hp - 5",
        "2024-01-01",
        "10:30",
        "a: b",
        "- x",
        "'it\\'s'",
        "`x`",
        "`${x}`",
        "f()",
        "[1,",
        "'-'",
    ),
    *(
        "3!",
        "200 + 10%",
        "0x1f",
        "&x",
        "*x",
        "!!int 3",
        "'",
        "{$meta: {extensible: true}, hp: 2}",
        "$__META_EXTENSIBLE__$",
    ),
)
OPS = ("set", "add", "insert", "assign", "delete", "remove", "unset", "move")
paths = st.sampled_from(PATHS) | st.lists(names, min_size=1, max_size=3).map(".".join)
quoted_paths = st.tuples(st.sampled_from(["'", '"', "", "`"]), paths).map(lambda pair: pair[0] + pair[1] + pair[0])
calls = st.builds(
    lambda op, path, arguments, end: f"_.{op}({', '.join([path, *arguments])}){end}",
    st.sampled_from(OPS),
    quoted_paths,
    st.lists(st.sampled_from(ARGUMENTS), max_size=3),
    st.sampled_from([";", ";//why\n", "; // 因为\n", "", " ;", "；"]),
)
operations = st.fixed_dictionaries(
    {"op": st.sampled_from(["replace", "delta", "insert", "add", "remove", "move", "test", 5])},
    optional={
        "path": paths.map(lambda path: "/" + path.replace(".", "/")) | st.just(5),
        "value": values(),
        "from": paths.map(lambda path: "/" + path.replace(".", "/")),
        "to": st.just("/hp"),
    },
)
patches = st.lists(operations, max_size=3).map(lambda found: f"<JSONPatch>{json.dumps(found)}</JSONPatch>")
noise = st.sampled_from(
    [
        *("<UpdateVariable>", "</UpdateVariable>", "<update>", "</update>", "<JSONPatch>", "</JSONPatch>", "```json\n"),
        *("```", "\n", "She nods. ", "_.set(", "(", ")", "'", '"', "\\", "//", ";", "[", "}", "&quot;", "<initvar>"),
        *("</initvar>", "\ud83d", "\x00", "😀", "hp: 1\n", "  - x\n", "\t", "\r\n", "{{char}}", "<Analysis>"),
    ]
)
pieces = st.lists(calls | patches | noise, max_size=10)
texts = pieces.map("".join)


def size_of(tree):
    return len(json.dumps(tree, ensure_ascii=False).encode("utf-8", "surrogatepass"))


def check_tree(tree):
    """A tree is plain JSON, within its limits, and holds no name that reaches behind objects."""
    assert json.loads(json.dumps(tree, allow_nan=False)) == tree
    assert size_of(tree) <= LARGEST_TREE * 2
    assert measure(tree).depth <= DEEPEST + 1
    stack = [tree]
    while stack:
        value = stack.pop()
        assert not (isinstance(value, dict) and FORBIDDEN & value.keys())
        stack += value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
