"""The page of the documentation has the tables of the code."""

from tests.providers.translation_page import PAGE, filled


def test_the_page_is_up_to_date():
    page = PAGE.read_text("utf-8")

    assert page == filled(page), "run `python -m tests.providers.translation_page`"
