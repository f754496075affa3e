"""The bundled libraries are those that were published, with their licences."""

import hashlib
from pathlib import Path

import pytest

VENDOR = Path(__file__).resolve().parents[3] / "src" / "lorewright" / "templates" / "ejs" / "vendor"
LISTED = {line[66:]: line[:64] for line in (VENDOR / "SHA256SUMS").read_text("ascii").splitlines()}


def test_all_files_are_listed():
    assert LISTED.keys() == {path.name for path in VENDOR.iterdir()} - {"SHA256SUMS"}


@pytest.mark.parametrize("name", sorted(LISTED))
def test_nobody_changed_a_file(name):
    assert hashlib.sha256((VENDOR / name).read_bytes()).hexdigest() == LISTED[name]


# Of the published packages ejs 7.0.2 and lodash 4.18.1.
PUBLISHED = {
    "ejs.min.js": "a9edc2021b549414831fe6eef54ae703587f97999f1cbd16096ca34ee4a31623",
    "lodash.min.js": "a8d7e6291ad80256f976ace90824a71018d2f706992c9107b20bdced97bee27b",
}


def test_the_libraries_are_those_that_were_published():
    assert {name: LISTED[name] for name in PUBLISHED} == PUBLISHED


@pytest.mark.parametrize(("name", "words"), [("ejs", "Apache License"), ("lodash", "OpenJS Foundation")])
def test_the_licences_are_there(name, words):
    assert words in (VENDOR / f"{name}.LICENSE").read_text("utf-8")
