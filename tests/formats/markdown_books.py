"""What the tests of Markdown lorebooks share."""

from dataclasses import replace

from lorewright.core.model import Book
from lorewright.formats.markdown.fields import OWN
from lorewright.formats.markdown.frame import FRAME
from lorewright.formats.markdown.reader import read_markdown

read = read_markdown


def entries(text):
    return read(text).value.entries


def only(text):
    (entry,) = entries(text)
    return entry


def own(entry):
    return entry.extra.get(OWN, {})


def codes(text):
    return [report.code for report in read(text).reports]


def replace_entry(book, at, **fields):
    changed = list(book.entries)
    changed[at] = replace(changed[at], **fields)
    return Book(book.name, tuple(changed), book.extra, book.origin)


def facts(book):
    return book.name, book.entries, {name: value for name, value in book.extra.items() if name != FRAME}


def same(left, right):
    assert facts(left) == facts(right)
    return True
