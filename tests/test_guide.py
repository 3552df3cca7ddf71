"""The guide is as it says: both languages hold the same commands, which run in order and print what it shows."""

from pathlib import Path

import pytest

from scripts.guide.pages import GUIDE, LANGUAGES, blocks, pages, pattern, pictures
from scripts.guide.running import following
from tests.support.installations import Installations

LARGEST = 3_000_000  # bytes of all pictures together


def test_both_languages_have_the_same_pages_with_the_same_commands() -> None:
    english, chinese = ([page.name for page in pages(language)] for language in LANGUAGES)
    assert english == chinese
    assert blocks("en") == blocks("zh")
    assert sum(len(block.commands) for block in blocks("en")) > 30


def test_every_picture_is_there_and_none_is_left_over() -> None:
    shown = {picture for language in LANGUAGES for picture in pictures(language)}
    there = set((GUIDE / "images").glob("*/*.png"))
    assert shown == there
    assert sum(picture.stat().st_size for picture in there) < LARGEST


@pytest.mark.parametrize(
    ("shown", "printed", "fits"),
    [
        ("one\ntwo", "one\ntwo\n", True),
        ("one  \ntwo", "one\ntwo", True),
        ("one", "one\ntwo", False),
        ("Run …, $…", "Run 4, $0.01", True),
        ("Run …", "Run 4\nmore", False),
        ("…\nlast", "a\nb\nlast", True),
        ("first\n…\nlast\n…", "first\nlast\nafter\n", True),
        ("first\n…", "other\nfirst", False),
        ("1.0", "110", False),
    ],
)
def test_dots_stand_for_anything_and_all_else_for_itself(shown: str, printed: str, *, fits: bool) -> None:
    assert bool(pattern(shown).fullmatch(printed)) is fits


@pytest.mark.slow
def test_every_command_of_the_guide_runs_and_prints_what_it_shows(installations: Installations, tmp_path: Path) -> None:
    with installations.migrated("sqlite") as installation, following(installation, tmp_path) as follower:
        for block in blocks("en"):
            said = "\n".join(line.rstrip() for line in follower.run(block).splitlines()) + "\n"
            if block.shown is not None:
                assert pattern(block.shown).fullmatch(said), f"{block.page}: {block.commands}\n{said}"
