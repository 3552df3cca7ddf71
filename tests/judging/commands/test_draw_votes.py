from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from annotate.models import Project
from judging.models import Answer, Ballot, Study
from tests.support.files import command
from tests.support.people import make_member
from tests.support.studies import AUTHORS, answered_project

pytestmark = pytest.mark.django_db
ASKED = ("draw_votes", "gems", "--into", "votes", "--kind", "preference", "--items", "3", "--seed", "7")


@pytest.fixture(autouse=True)
def source() -> Project:
    return answered_project(slug="gems")


def test_the_json_counts_what_was_drawn_and_left_out() -> None:
    code, report, _err = command(*ASKED, "--authors", ",".join(AUTHORS), "--overlap", "2")
    study = Study.objects.get()
    assert code == 0
    assert report == {
        "study": study.pk,
        "project": "votes",
        "kind": "preference",
        "seed": 7,
        "overlap": 2,
        "design": "all",
        "budget": None,
        "repeats_too_far": False,
        "items": 3,
        "answers": 9,
        "votes": 9,
        "repeats": 0,
        "asked": 18,
        "named": {"answers": 0, "aside": 0, "too_short": []},
        "strata": {"Coding": [4, 2], "Reasoning": [2, 1]},
        "left_out": {"not_drawn": 3},
    }
    assert study.project.overlap == 2
    assert Ballot.objects.count() == 9


def test_a_dry_run_draws_nothing() -> None:
    code, report, _err = command(*ASKED, "--authors", "Beryl, Opal-9B", "--dry-run")
    assert (code, report["study"], report["votes"]) == (0, None, 3)
    assert not Project.objects.filter(slug="votes").exists()


@pytest.mark.parametrize("authors", ["Beryl", "Beryl,Nobody", ""])
def test_what_cannot_be_drawn_ends_with_1_and_says_why(authors: str) -> None:
    code, _report, err = command(*ASKED, "--authors", authors)
    assert code == 1
    assert "author" in err
    assert not Study.objects.exists()


def test_an_unknown_kind_ends_with_1() -> None:
    words = [word if word != "preference" else "opinion" for word in ASKED]
    code, _report, err = command(*words, "--authors", "Beryl,Opal-9B")
    assert (code, "opinion" in err) == (1, True)


def test_the_leads_of_the_source_lead_the_votes_and_are_named(source: Project) -> None:
    names = sorted(make_member(source, "lead").user.username for _time in range(2))
    out = StringIO()
    call_command(*ASKED, "--authors", ",".join(AUTHORS), stdout=out)
    assert f"Led by {', '.join(names)}." in out.getvalue()
    assert Project.objects.get(slug="votes").members.filter(role="lead").count() == 2


def test_phrases_by_which_models_name_themselves_come_from_a_file(source: Project, tmp_path: Path) -> None:
    Answer.objects.filter(text__contains="number 3").update(text="As a gemstone, I count two moons.")
    (tmp_path / "phrases.txt").write_text("As a gemstone\n\n", encoding="utf-8")
    out = StringIO()
    words = (*ASKED, "--authors", ",".join(AUTHORS), "--phrases", str(tmp_path / "phrases.txt"), "--dry-run")
    call_command(*words, "--items", "6", stdout=out)
    assert "Answers that name a model: 3; pairs excluded for this: 0." in out.getvalue()


@pytest.mark.parametrize("content", [None, b"\xff\xfe"])
def test_phrases_that_cannot_be_read_are_named_and_nothing_is_drawn(content: bytes | None, tmp_path: Path) -> None:
    path = tmp_path / "phrases.txt"
    if content is not None:
        path.write_bytes(content)
    code, _report, err = command(*ASKED, "--authors", ",".join(AUTHORS), "--phrases", path)
    assert (code, f"{path} cannot be read as a list of phrases" in err) == (1, True)
    assert not Study.objects.exists()


def test_repeats_that_would_never_be_shown_are_told_with_the_remedy() -> None:
    out = StringIO()
    words = ("--authors", ",".join(AUTHORS), "--repeats", "0.5", "--apart", "50", "--dry-run")
    call_command(*ASKED, *words, stdout=out)
    told = out.getvalue()
    assert "Repeated with the sides swapped: 4." in told
    assert "no one votes on 50 other items in between. Use a smaller --apart." in told


def test_names_too_short_to_search_for_are_told() -> None:
    answered_project(slug="short", authors=("o1", "Beryl"))
    out = StringIO()
    words = ["--into", "v", "--kind", "preference", "--items", "3", "--seed", "7", "--authors", "o1,Beryl", "--dry-run"]
    call_command("draw_votes", "short", *words, stdout=out)
    assert "Names too short to search for: o1." in out.getvalue()
