"""Books as the rows that RisuAI would have."""

from lorewright import Book, Entry
from lorewright.core.rows import ROW
from lorewright.formats.risu_lorebook import read_risu_lorebook
from lorewright.formats.risu_rows import as_rows

ROWS: list[dict[str, object]] = [
    {"key": "\uf000folder:1", "comment": "People", "content": "", "mode": "folder"},
    {
        "key": "/a,b/i,c",
        "secondkey": "d, e",
        "comment": "A",
        "content": "@@depth 3\n@@role user\ntext",
        "useRegex": True,
    },
    {"key": "a", "comment": "B", "content": "own", "mode": "child", "id": "p"},
]


def book():
    return read_risu_lorebook({"type": "risu", "data": ROWS}, name="b").value


def test_every_row_is_an_entry_in_its_place():
    rows = as_rows(book()).entries

    assert [entry.title for entry in rows] == ["People", "A", "B"]
    assert [entry.content for entry in rows] == [row["content"] for row in ROWS]


def test_a_row_says_what_an_entry_has_no_field_for():
    _, regex, child = as_rows(book()).entries

    assert regex.extra[ROW] == {"key": "/a,b/i,c", "secondary": "d, e", "by_regex": True, "is_child": False, "id": None}
    assert child.extra[ROW] == {"key": "a", "secondary": None, "by_regex": False, "is_child": True, "id": "p"}
    assert regex.keys == ("/a", "b/i", "c")


def test_the_same_book_gives_the_same_rows():
    given = book()

    assert as_rows(given) is as_rows(given)
    assert as_rows(as_rows(given)) is as_rows(given)


def test_an_entry_of_sillytavern_gets_the_decorators_that_an_import_gives_it():
    given = Book("b", (Entry(uid=1, keys=("a",), content="text", position=4, depth=2, role=1, whole_words=True),))
    (entry,) = as_rows(given).entries

    assert entry.content == "@@match_full_word\n@@depth 2\n@@role user\ntext"


def test_a_book_without_entries_has_no_rows():
    assert as_rows(Book("b", ())).entries == ()
