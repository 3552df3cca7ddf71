"""What a row of a file becomes."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from annotate.items.slots import people_for
from annotate.models import Annotation, Event, Item, Project, Slot
from tests.support.files import bring, facts_only, row, without
from tests.support.people import make_project

pytestmark = pytest.mark.django_db


def test_draft_fields_become_a_suggestion_that_is_open_for_work(project: Project, tmp_path: Path) -> None:
    bring(project, tmp_path, row(1))
    item = Item.objects.get()
    suggestion = Annotation.objects.get()
    assert (item.state, item.round, item.base) == ("ready", 1, None)
    assert (suggestion.model, suggestion.draft["feedback"]) == ("imported (jsonl)", "That is one moon too many.")
    assert Slot.objects.open().get().stage == "annotate"
    assert list(Event.objects.values_list("verb", "to_state", "note")) == [("imported", "ready", "rows.jsonl")]


def test_facts_alone_are_work_to_do(project: Project, tmp_path: Path) -> None:
    bring(project, tmp_path, facts_only(1))
    assert (Item.objects.get().state, Annotation.objects.count(), Slot.objects.count()) == ("ready", 0, 1)


def test_a_row_may_bring_part_of_a_draft(project: Project, tmp_path: Path) -> None:
    report = bring(project, tmp_path, without(row(1), "checklist", "feedback_type"))
    assert (report["kept"], report["problems"]) == (1, [])
    draft = Annotation.objects.get().draft
    assert (draft["feedback"], draft["checklist"], draft["feedback_type"]) == ("That is one moon too many.", [], [])


def test_what_a_part_of_a_draft_brings_is_checked(project: Project, tmp_path: Path) -> None:
    report = bring(project, tmp_path, without(row(1, feedback_type=["Shouting"]), "checklist"))
    assert [(problem["path"], problem["level"]) for problem in report["problems"]] == [("feedback_type[0]", "error")]


def test_a_field_that_a_draft_may_lack_is_work_to_do_where_a_row_lacks_it(project: Project, tmp_path: Path) -> None:
    """The shape allows it, because only error correction has it; there it is still to be written."""
    report = bring(project, tmp_path, without(row(1), "error_type"))
    assert (report["kept"], report["problems"]) == (1, [])
    assert "error_type" not in Annotation.objects.get().draft
    report = bring(project, tmp_path, without(row(2), "error_type"), words=("--accept",))
    assert [(one["path"], one["level"]) for one in report["problems"]] == [("error_type", "error")]


def test_a_nested_suggestion_keeps_its_model_and_doubts_and_its_faults_are_warnings(
    project: Project, tmp_path: Path
) -> None:
    suggestion = {
        **without(row(1), "key", "bench_type", "user_query", "origin_first_response"),
        "checklist": [["Is it so?", 0.5]],
        "model": "drafter-a",
        "prompt_version": "v4",
        "doubts": [{"path": "feedback", "message": "rather curt"}],
    }
    report = bring(project, tmp_path, facts_only(1, suggestion=suggestion))
    assert [(one["path"], one["level"]) for one in report["problems"]] == [("suggestion.checklist", "warning")]
    kept = Annotation.objects.get()
    assert (kept.model, kept.prompt_version) == ("drafter-a", "v4")
    assert kept.doubts == [{"path": "feedback", "message": "rather curt", "source": "model"}]


def test_a_nested_suggestion_without_the_shape_is_an_error(project: Project, tmp_path: Path) -> None:
    report = bring(project, tmp_path, facts_only(1, suggestion={"feedback": 7}), facts_only(2, suggestion="x"))
    assert [problem["path"] for problem in report["problems"]] == ["suggestion.feedback", "suggestion"]
    assert report["rejected"] == 2


def test_a_nested_final_draft_is_accepted_and_the_rest_is_its_suggestion(project: Project, tmp_path: Path) -> None:
    final = without(row(1, feedback="Two."), "key", "bench_type", "user_query", "origin_first_response")
    bring(project, tmp_path, row(1, final=final))
    item = Item.objects.get()
    assert (item.state, item.base.rater, item.base.draft["feedback"]) == ("accepted", "import", "Two.")
    assert Annotation.objects.exclude(model="").get().draft["feedback"] == "That is one moon too many."


def test_a_final_draft_is_checked_under_its_own_path(project: Project, tmp_path: Path) -> None:
    final = without(row(1, checklist=[["a", 0.2]]), "key", "bench_type", "user_query", "origin_first_response")
    report = bring(project, tmp_path, facts_only(1, final=final))
    assert [(one["path"], one["level"]) for one in report["problems"]] == [("final.checklist", "error")]


def test_what_calls_itself_unsuitable_cannot_be_accepted(project: Project, tmp_path: Path) -> None:
    report = bring(project, tmp_path, row(1, suitable=False), words=("--accept",))
    assert (report["kept"], report["rejected"]) == (0, 1)


def test_projects_that_wait_for_suggestions_open_only_rows_that_bring_one(tmp_path: Path) -> None:
    project = make_project(waits_for_suggestion=True)
    bring(project, tmp_path, facts_only(1), row(2))
    assert dict(Item.objects.values_list("key", "state")) == {"row-1": "imported", "row-2": "ready"}
    assert Slot.objects.get().item.key == "row-2"


def test_overlapped_projects_open_a_slot_for_each_person(tmp_path: Path) -> None:
    project = make_project(overlap=3, reviews=0, overlap_share=Decimal("0.5"))
    bring(project, tmp_path, *(row(no) for no in range(40)))
    for item in Item.objects.all():
        assert item.slots.count() == people_for(item.key, project)
    assert set(Item.objects.first().slots.values_list("no", flat=True)) <= {1, 2, 3}


def test_an_item_knows_its_title_group_and_language(tmp_path: Path) -> None:
    project = make_project(languages=["en", "zh"])
    bring(project, tmp_path, row(1), row(2, user_query="火星有几颗卫星？"))
    told = list(Item.objects.values_list("title", "group", "language"))
    assert told == [
        ("How many moons has planet 1?", "Knowledge Q&A", "en"),
        ("火星有几颗卫星？", "Knowledge Q&A", "zh"),
    ]


def test_without_checks_nothing_is_looked_for(tmp_path: Path) -> None:
    project = make_project(languages=["en", "zh"])
    report = bring(project, tmp_path, facts_only(1, user_query="Write to ada@uni.de"), words=("--no-checks",))
    assert (report["problems"], Item.objects.get().language) == ([], "")


def test_personal_data_is_a_warning_and_shown_masked(project: Project, tmp_path: Path) -> None:
    report = bring(project, tmp_path, facts_only(1, user_query="Mail ada@uni-ulm.de, ada@uni-ulm.de, please!"))
    (problem,) = report["problems"]
    assert (report["kept"], problem["path"], problem["level"]) == (1, "user_query", "warning")
    assert "a•••@uni-ulm.de" in problem["message"]


def test_a_row_without_key_gets_one_that_stays_the_same(project: Project, tmp_path: Path) -> None:
    bring(project, tmp_path, without(row(1), "key"))
    first = Item.objects.get().key
    other = make_project()
    bring(other, tmp_path, dict(reversed(without(row(1), "key").items())))
    assert Item.objects.get(project=other).key == first


@pytest.mark.parametrize("key", [7, "", "  ", "k" * 201, ["a"]])
def test_a_key_that_is_none_is_refused(project: Project, tmp_path: Path, key: Any) -> None:
    report = bring(project, tmp_path, row(1, key=key))
    assert [(one["path"], one["level"]) for one in report["problems"]] == [("key", "error")]
