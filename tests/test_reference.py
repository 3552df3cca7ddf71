"""The reference says what the code says today."""

from pathlib import Path

import pytest

from scripts.reference.pages import all_pages

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "reference"
PAGES = all_pages()


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_as_old_as_the_code(name: str) -> None:
    assert (FOLDER / name).read_text(encoding="utf-8") == PAGES[name], "run `make reference`"


def test_no_other_page_is_there() -> None:
    assert {path.name for path in FOLDER.iterdir()} == set(PAGES)


@pytest.mark.parametrize("word", ["## use_case", "### Options of branching"])
def test_kinds_are_told_with_their_options(word: str) -> None:
    assert word in PAGES["kinds.md"]
