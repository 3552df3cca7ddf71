import json
import re
from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotate.items.queue import claim_next
from annotate.models import Annotation, Batch, Event, Item, Project, Slot
from judging.models import Answer, Ballot, Judge, Part, Verdict
from tests.judging.formats.test_votes import MTBENCH, PANDALM
from tests.support.people import make_member, make_project
from tests.support.voted import bring, by_judge, counts, on_a_pair, on_an_answer, preference_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return preference_project()


def test_one_row_makes_item_answers_ballot_and_vote(project: Project, tmp_path: Path) -> None:
    report = bring(project, tmp_path, on_a_pair(group="space", reason="Two is right."))
    assert (counts(report), report.problems) == ([1, 1, 0, 0], [])
    ballot = Ballot.objects.select_related("item__base", "first__author", "second__author").get()
    item = ballot.item
    assert (item.key, item.group, item.state, ballot.study) == ("q1", "space", "accepted", None)
    assert item.facts == {
        "prompt": "How many moons has planet q1?",
        "first": "Planet q1 has two.",
        "second": "Planet q1 has three.",
    }
    assert ballot.second is not None
    assert [(one.author.name, one.text, one.item_id) for one in (ballot.first, ballot.second)] == [
        ("model-a", "Planet q1 has two.", item.pk),
        ("model-b", "Planet q1 has three.", item.pk),
    ]
    vote = Annotation.objects.get()
    assert (vote.rater, vote.author, vote.slot, vote.outcome) == ("anna", None, None, "annotated")
    assert vote.draft == {"choice": "first", "reason": "Two is right.", "recognised": False}
    assert item.base == vote
    assert Event.objects.get(item=item).to_state == "accepted"
    assert not Slot.objects.exists()


def test_an_item_shows_nobody_whose_its_answers_are(project: Project, tmp_path: Path) -> None:
    bring(project, tmp_path, MTBENCH, format="mtbench")
    row = repr(Item.objects.values().get())
    assert "model-a" not in row
    assert "model-b" not in row


def test_a_judge_leaves_a_verdict_an_order(project: Project, tmp_path: Path) -> None:
    report = bring(project, tmp_path, *by_judge(straight="first", swapped=None), labels="kept")
    assert counts(report) == [2, 2, 0, 0]
    straight, swapped = Verdict.objects.select_related("judge", "item", "first__author").order_by("swapped")
    assert (straight.choice, straight.reading, straight.first.author.name) == ("first", "ok", "model-a")
    assert (swapped.choice, swapped.reading, swapped.first_id) == ("", "unparsed", straight.first_id)
    assert (straight.judge.name, straight.judge.strategy, straight.source) == ("judge-m", "pairwise", "votes.jsonl")
    assert straight.case_sha == straight.item.content_hash


def test_items_on_which_nobody_voted_are_open_for_votes(project: Project, tmp_path: Path) -> None:
    bring(project, tmp_path, *by_judge())
    assert Item.objects.get().state == "ready"
    assert Slot.objects.get().stage == "annotate"


def test_a_vote_in_a_later_row_decides_the_item_at_once(project: Project, tmp_path: Path) -> None:
    bring(project, tmp_path, *by_judge(), on_a_pair())
    assert Item.objects.get().state == "accepted"
    assert not Slot.objects.exists()


def test_votes_that_come_later_end_the_work_unless_somebody_has_begun_it(project: Project, tmp_path: Path) -> None:
    bring(project, tmp_path, *by_judge("q1"), *by_judge("q2"))
    taken = claim_next(make_member(project), "annotate")
    assert taken is not None
    bring(project, tmp_path, on_a_pair("q1"), on_a_pair("q2", "tie"))
    states = dict(Item.objects.values_list("pk", "state"))
    assert states.pop(taken.item_id) == "ready"
    assert list(states.values()) == ["accepted"]
    assert Slot.objects.get().pk == taken.pk


def test_the_item_stands_on_the_first_vote_of_the_majority(project: Project, tmp_path: Path) -> None:
    bring(project, tmp_path, on_a_pair(choice="second"), on_a_pair(rater="bo"))
    base = Item.objects.select_related("base").get().base
    assert base is not None
    assert base.rater == "anna"  # split: the first vote
    bring(project, tmp_path, on_a_pair(rater="cy"))
    base = Item.objects.select_related("base").get().base
    assert base is not None
    assert base.rater == "bo"


def test_doing_it_again_makes_only_duplicates(project: Project, tmp_path: Path) -> None:
    rows = [on_a_pair(), on_a_pair(rater="bo", choice="tie"), *by_judge()]
    assert counts(bring(project, tmp_path, *rows)) == [4, 4, 0, 0]
    tables = (Item, Answer, Ballot, Annotation, Verdict, Judge)
    before = [list(model.objects.order_by("pk").values()) for model in tables]
    report = bring(project, tmp_path, *rows)
    assert (counts(report), report.problems) == ([4, 0, 4, 0], [])
    assert [list(model.objects.order_by("pk").values()) for model in tables] == before


def test_what_is_said_otherwise_stays_out_and_is_told(project: Project, tmp_path: Path) -> None:
    bring(project, tmp_path, on_a_pair(), *by_judge())
    report = bring(project, tmp_path, on_a_pair(choice="second"), *by_judge(straight="tie"))
    assert counts(report) == [3, 0, 3, 0]
    assert [(problem["line"], problem["level"]) for problem in report.problems] == [(1, "warning"), (2, "warning")]
    assert "anna" in report.problems[0]["message"]
    assert "judge-m" in report.problems[1]["message"]
    assert Annotation.objects.get().draft["choice"] == "first"
    assert set(Verdict.objects.values_list("choice", flat=True)) == {"first"}


def test_one_key_is_one_pair_of_texts_and_authors(project: Project, tmp_path: Path) -> None:
    other_text = on_a_pair(rater="bo", prompt="How many moons has Mars?")
    other_author = on_a_pair(rater="cy", second={"author": "model-c", "text": "Planet q1 has three."})
    report = bring(project, tmp_path, on_a_pair(), other_text, other_author)
    assert counts(report) == [3, 1, 0, 2]
    assert [(problem["line"], problem["level"]) for problem in report.problems] == [(2, "error"), (3, "error")]
    assert Annotation.objects.get().rater == "anna"


def test_a_row_with_a_fault_is_named_and_the_others_stay(project: Project, tmp_path: Path) -> None:
    report = bring(project, tmp_path, on_a_pair("q1"), on_a_pair("q2", prompt=""), on_a_pair("q3", choice="best"))
    assert counts(report) == [3, 1, 0, 2]
    assert [(problem["line"], problem["path"]) for problem in report.problems] == [(2, "prompt"), (3, "choice")]


def test_empty_answers_are_answers(project: Project, tmp_path: Path) -> None:
    assert counts(bring(project, tmp_path, {**PANDALM, "response2": ""}, format="pandalm")) == [1, 1, 0, 0]
    assert Answer.objects.get(author__name="model-b").known


def test_the_same_texts_under_two_keys_are_two_items(project: Project, tmp_path: Path) -> None:
    """Published files repeat pairs, with votes of their own."""
    assert counts(bring(project, tmp_path, PANDALM, {**PANDALM, "idx": 8}, format="pandalm")) == [2, 2, 0, 0]


def test_the_list_of_imports_says_what_came_of_the_file(project: Project, tmp_path: Path) -> None:
    bring(project, tmp_path, on_a_pair("q1"), on_a_pair("q2", choice="best"))
    batch = Batch.objects.get()
    assert (batch.state, batch.format, batch.file_name) == ("done", "ratings", "votes.jsonl")
    assert [batch.read, batch.kept, batch.duplicates, batch.rejected] == [2, 1, 0, 1]
    assert [problem["line"] for problem in batch.problems] == [2]
    assert Item.objects.get().batch == batch


def test_scores_are_votes_and_verdicts_by_criterion(tmp_path: Path) -> None:
    project = make_project(kind_slug="score_vote", options={"criteria": ["Clarity", "Truth"]})
    report = bring(
        project,
        tmp_path,
        on_an_answer(),
        on_an_answer(judge="judge-m"),
        on_an_answer(rater="bo", scores={"Clarity": 9, "Truth": 1}),
    )
    assert counts(report) == [3, 2, 0, 1]  # 9 is beyond the scale of the project
    assert Ballot.objects.get().second is None
    assert Verdict.objects.get().reading == "ok"
    assert list(Part.objects.order_by("axis").values_list("axis", "score_first")) == [("Clarity", 4.0), ("Truth", 2.0)]
    assert counts(bring(project, tmp_path, on_an_answer(), on_an_answer(judge="judge-m"))) == [2, 0, 2, 0]


def test_queries_do_not_grow_with_rows(project: Project, tmp_path: Path) -> None:
    def queries(first: int, after: int) -> int:
        rows = [row for no in range(first, after) for row in (on_a_pair(f"q{no}"), *by_judge(f"q{no}"))]
        with CaptureQueriesContext(connection) as captured:
            bring(project, tmp_path, *rows)
        return len(captured)

    queries(0, 2)  # makes authors and judge
    assert queries(2, 4) == queries(4, 60)


def test_the_rows_of_the_manual_are_read(tmp_path: Path) -> None:
    page = (Path(__file__).resolve().parents[3] / "docs" / "votes.md").read_text()
    *pairs, scored = [json.loads(each) for each in re.findall(r"```json\n(.*?)```", page, re.DOTALL)]
    assert counts(bring(preference_project(), tmp_path, *pairs)) == [2, 2, 0, 0]
    project = make_project(kind_slug="score_vote", options={"criteria": ["Clarity", "Truth"]})
    assert counts(bring(project, tmp_path, scored)) == [1, 1, 0, 0]


def test_items_of_votes_know_the_language_of_what_was_asked(tmp_path: Path) -> None:
    made = preference_project(languages=["en", "zh"])
    bring(made, tmp_path, on_a_pair("moons"), on_a_pair("kettle", prompt="水壶里的水垢怎么去掉？"))
    assert dict(made.items.values_list("key", "language")) == {"moons": "en", "kettle": "zh"}
