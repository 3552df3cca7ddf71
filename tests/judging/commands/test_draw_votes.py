from io import StringIO

import pytest
from django.core.management import call_command

from annotate.models import Project
from judging.models import Ballot, Study
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
