"""Votes and verdicts of files about pairs that items of branching judgements hold themselves."""

import json
from pathlib import Path
from typing import Any

import pytest

from annotate.models import Annotation, Batch, Item, Project, Slot
from judging.intake.vote_items import votes_beside
from judging.models import Answer, Ballot, Verdict
from judging.ratings.raters import ratings
from judging.ratings.rating_subjects import subjects
from judging.ratings.units import PREFERENCE
from tests.judging.formats.test_votes import AUTOJ, MTBENCH, PANDALM
from tests.support.files import command, write_rows
from tests.support.people import make_member, make_project
from tests.support.voted import bring, by_judge, counts, on_a_pair, on_an_answer, preference_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return make_project(slug="trees", kind_slug="branching")


def test_one_row_makes_an_item_for_work_answers_votes_and_verdicts(project: Project, tmp_path: Path) -> None:
    report = bring(project, tmp_path, PANDALM | {"annotator2": 1}, format="pandalm")
    item = Item.objects.get(project=project)
    assert counts(report) == [1, 1, 0, 0]
    assert (item.state, item.key, item.facts["human_label"]) == ("ready", "pandalm-0007", "first")
    assert Slot.objects.get(item=item).stage == "annotate"
    answers = Answer.objects.order_by("pk")
    assert [(one.item_id, one.author.project_id, one.text) for one in answers] == [
        (item.pk, project.pk, item.facts[side]) for side in ("first", "second")
    ]
    assert [one.author.name for one in answers] == [item.facts["author_first"], item.facts["author_second"]]
    ballot = Ballot.objects.select_related("item__project").get()
    assert (ballot.first_id, ballot.second_id) == tuple(one.pk for one in answers)
    assert (ballot.item.project.slug, ballot.item.state) == ("trees-votes", "accepted")
    assert {vote.rater for vote in Annotation.objects.filter(item=ballot.item)} == {
        "annotator1", "annotator2", "annotator3",
    }  # fmt: skip
    assert set(Verdict.objects.values_list("item", "judge__project")) == {(item.pk, project.pk)}


def test_nothing_of_a_vote_hangs_on_the_item(project: Project, tmp_path: Path) -> None:
    bring(project, tmp_path, PANDALM, format="pandalm")
    assert not Annotation.objects.filter(item__project=project).exists()
    assert command("check_items", "trees")[0] == 0


def test_ratings_are_those_of_a_project_of_preferences(project: Project, tmp_path: Path) -> None:
    """Units are numbered by answers, which differ; all else is equal."""

    def said(of: Project) -> list[tuple[Any, ...]]:
        return [(one.rater.name, one.value, one.swapped, one.repeat) for one in ratings(of, PREFERENCE)]

    other = preference_project()
    for rows, name in (([PANDALM], "pandalm"), ([AUTOJ], "autoj"), ([MTBENCH], "mtbench")):
        for into in (project, other):
            bring(into, tmp_path, *rows, format=name)
    both = [on_a_pair(), on_a_pair(rater="bo", choice="tie"), *by_judge()]
    for into in (project, other):
        bring(into, tmp_path, *both)
    assert said(project) == said(other)
    assert len(said(project)) > 10


def test_reports_find_them_though_nobody_has_worked_on_the_items(project: Project, tmp_path: Path) -> None:
    rows = [on_a_pair(f"q{no}", choice, rater=who) for no, choice in enumerate(("first", "tie", "second"))
            for who in ("anna", "bo")]  # fmt: skip
    bring(project, tmp_path, *rows, *by_judge("q0"), *by_judge("q1", "tie", "tie"), labels="kept")
    told = command("report", "trees", "agreement")[1]
    assert {tuple(row["raters"]): row["units"] for row in told["rows"]} == {
        ("anna", "bo"): 3, ("anna", "judge-m"): 2, ("bo", "judge-m"): 2,
    }  # fmt: skip
    assert told["majority"] == {"first": 1, "second": 1, "tie": 1}
    (row,) = command("report", "trees", "consistency")[1]["rows"]
    assert (row["judge"], row["n"], row["agreement"], row["consistency"]) == ("judge-m", 2, 100.0, 100.0)
    assert [one.slug for one in subjects(project)] == ["preference"]


def test_doing_it_again_makes_only_duplicates_and_more_votes_find_their_item(project: Project, tmp_path: Path) -> None:
    rows = [on_a_pair(), *by_judge()]
    assert counts(bring(project, tmp_path, *rows)) == [3, 3, 0, 0]
    assert counts(bring(project, tmp_path, *rows)) == [3, 0, 3, 0]
    assert counts(bring(project, tmp_path, on_a_pair(rater="bo", choice="tie"))) == [1, 1, 0, 0]
    assert [Item.objects.count(), Answer.objects.count(), Verdict.objects.count()] == [2, 2, 2]
    assert Batch.objects.filter(state="running").count() == 0


def test_items_that_are_there_get_their_votes_under_the_names_that_they_give(project: Project, tmp_path: Path) -> None:
    """Imported for work before; of authors the items say nothing."""
    facts = {"query": "How many moons has planet q1?", "first": "Planet q1 has two.", "second": "Planet q1 has three."}
    path = write_rows(tmp_path / "items.jsonl", [{"key": "q1", **facts}])
    assert command("import_items", "trees", path)[1]["kept"] == 1
    assert counts(bring(project, tmp_path, on_a_pair())) == [1, 1, 0, 0]
    assert list(Answer.objects.order_by("pk").values_list("author__name", flat=True)) == ["A", "B"]
    assert [one.value for one in ratings(project, PREFERENCE)] == ["first"]


def test_other_texts_under_a_key_are_rejected_by_line(project: Project, tmp_path: Path) -> None:
    bring(project, tmp_path, on_a_pair())
    changed = on_a_pair(rater="bo", first={"author": "model-a", "text": "None."})
    report = bring(project, tmp_path, changed)
    assert counts(report) == [1, 0, 0, 1]
    assert (report.problems[0]["line"], "other texts" in str(report.problems[0])) == (1, True)


def test_a_vote_on_one_answer_has_no_place_here(project: Project, tmp_path: Path) -> None:
    report = bring(project, tmp_path, on_an_answer())
    assert counts(report) == [1, 0, 0, 1]
    assert not Project.objects.filter(slug="trees-votes").exists()


def test_the_votes_have_the_leads_of_the_project_and_nobody_else(project: Project) -> None:
    lead = make_member(project, "lead")
    make_member(project, "annotator")
    assert [one.user for one in votes_beside(project, "preference").members.all()] == [lead.user]
    assert votes_beside(project, "preference").kind_slug == "preference"


def test_a_label_stands_in_the_item_only_where_a_row_has_all_votes(project: Project, tmp_path: Path) -> None:
    bring(project, tmp_path, on_a_pair())
    assert "human_label" not in json.dumps(Item.objects.get(project=project).facts)


def test_a_pair_without_texts_makes_no_item_and_names_where_it_belongs(project: Project, tmp_path: Path) -> None:
    without = on_a_pair(first={"author": "model-a"}, second={"author": "model-b"})
    report = bring(project, tmp_path, without, on_a_pair("q2"))
    assert counts(report) == [2, 1, 0, 1]
    assert "Import it into a project of preference votes." in str(report.problems[0])
    assert [*Item.objects.filter(project=project).values_list("key", flat=True)] == ["q2"]


def test_an_item_that_cannot_be_read_gets_no_vote(project: Project, tmp_path: Path) -> None:
    bring(project, tmp_path, on_a_pair())
    Item.objects.filter(project=project).update(facts={"query": 7})
    report = bring(project, tmp_path, on_a_pair(rater="bo"))
    assert counts(report) == [1, 0, 0, 1]
    assert "already exists with other texts" in str(report.problems[0])


@pytest.mark.parametrize(
    ("changes", "path", "message"),
    [
        ({"second": {"author": "model-a", "text": "None."}}, "second.author", "also the author of the first answer"),
        ({"first": {"author": 7, "text": "None."}}, "first.author", ""),
        ({"first": {"author": "model-a", "text": ["None."]}}, "first.text", ""),
        ({"first": "None."}, "first", "must be an object"),
        ({"second": {"author": "model-b"}}, "second.text", "is missing"),
    ],
)
def test_a_side_that_cannot_be_read_is_named(
    project: Project, tmp_path: Path, changes: dict[str, Any], path: str, message: str
) -> None:
    report = bring(project, tmp_path, on_a_pair(**changes))
    assert counts(report) == [1, 0, 0, 1]
    assert (report.problems[0]["path"], message in report.problems[0]["message"]) == (path, True)
