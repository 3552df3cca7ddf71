"""The guide is as it says: both languages hold the same commands, which run in order and print what it shows."""

import re
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

from annotate.kinds.questions.definition import QUESTION_TYPES
from scripts.guide.pages import GUIDE, LANGUAGES, PICTURE, blocks, pages, pattern, pictures
from scripts.guide.running import following
from tests.support.installations import Installations

FORMS = GUIDE.parent / "forms.md"
TEXTS = Path(__file__).parents[1] / "locale/zh_Hans/LC_MESSAGES/django.po"
NAMED = {"en": re.compile(r"(?<!\*)\*([A-Z][^*]+)\*(?!\*)"), "zh": re.compile("“([^”]+)”")}  # pages and menus, in prose
PROJECTS = {"From a log", "Feedback demo", "worse", "bench-votes", "Bench"}
PROGRESS = re.compile(r"run \d+: .* open, ")  # lines of a run that takes long, as on a busy machine
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


def test_own_questions_have_a_small_picture_of_each_type() -> None:
    folder = GUIDE.parent / "images" / "questions"
    sizes = {picture.stem: picture.stat().st_size for picture in folder.glob("*.png")}
    assert sizes.keys() == QUESTION_TYPES.keys()
    assert max(sizes.values()) <= 40_000
    assert sum(sizes.values()) <= 400_000
    assert {f"images/questions/{name}.png" for name in sizes} == set(PICTURE.findall(FORMS.read_text()))


@pytest.mark.parametrize("language", LANGUAGES)
def test_pages_and_menus_are_called_as_the_product_calls_them(language: str) -> None:
    with TEXTS.open("rb") as file:
        catalogue = [one for one in read_po(file) if isinstance(one.id, str) and isinstance(one.string, str)]
    called = {one.id if language == "en" else one.string for one in catalogue}
    named = [name for page in pages(language) for name in NAMED[language].findall(page.read_text())]
    words = {word for name in named for word in name.split(" → ")}
    assert len(words) > 10
    assert not words - called - PROJECTS


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
@pytest.mark.long
def test_every_command_of_the_guide_runs_and_prints_what_it_shows(installations: Installations, tmp_path: Path) -> None:
    with installations.migrated("sqlite") as installation, following(installation, tmp_path) as follower:
        for block in blocks("en"):
            lines = [line.rstrip() for line in follower.run(block).splitlines()]
            said = "\n".join(line for line in lines if not PROGRESS.match(line)) + "\n"
            if block.shown is not None:
                assert pattern(block.shown).fullmatch(said), f"{block.page}: {block.commands}\n{said}"
