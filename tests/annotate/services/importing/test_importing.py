import json
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from annotate.models import Annotation, Batch, Event, Item, Notification, Project, Slot
from annotate.services import drafts, importing, queue, submitting
from annotate.services.errors import LeaseLost
from annotate.services.importing import files
from annotate.services.importing.reading import CHUNK
from annotate.services.importing.report import LISTED
from annotate.services.importing.rows import Settings
from annotate.services.slots import people_for
from tests.support.files import facts_only, imported, row, without, write_rows
from tests.support.people import make_member, make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return make_project()


def bring(project: Project, folder: Path, *rows: Any, words: tuple[str, ...] = ()) -> dict[str, Any]:
    return imported(project, write_rows(folder / "rows.jsonl", rows), *words)


def messages(report: dict[str, Any]) -> list[str]:
    return [problem["message"] for problem in report["problems"]]


# --- what a row becomes ---------------------------------------------------------------------------------------------
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


# --- duplicates -----------------------------------------------------------------------------------------------------
def test_a_repeated_key_names_the_first_line(project: Project, tmp_path: Path) -> None:
    report = bring(project, tmp_path, row(1), row(2), row(1, user_query="Something else?"))
    assert (report["kept"], report["duplicates"]) == (2, 1)
    assert "line 1 already, with other facts" in messages(report)[0]


def test_repeated_content_is_found_under_another_key(project: Project, tmp_path: Path) -> None:
    report = bring(project, tmp_path, row(1), row(1, key="other"))
    assert (report["kept"], report["duplicates"]) == (1, 1)
    assert "same content stands in line 1" in messages(report)[0]


def test_stored_keys_and_contents_are_left_alone_and_named(project: Project, tmp_path: Path) -> None:
    bring(project, tmp_path, row(1))
    report = bring(project, tmp_path, row(1))
    assert (report["kept"], report["duplicates"]) == (0, 1)
    assert messages(report) == ["The key “row-1” is stored already."]
    assert messages(bring(project, tmp_path, row(1, key="new"))) == ["The same content is stored already, as “row-1”."]
    assert Annotation.objects.count() == 1


def test_other_facts_under_a_stored_key_are_said(project: Project, tmp_path: Path) -> None:
    bring(project, tmp_path, row(1))
    assert "with other facts" in messages(bring(project, tmp_path, row(1, user_query="Other?")))[0]


def test_repetitions_across_chunks_are_found(project: Project, tmp_path: Path) -> None:
    rows = [facts_only(no) for no in range(CHUNK + 5)]
    report = bring(project, tmp_path, *rows, facts_only(3))
    assert (report["kept"], report["duplicates"]) == (CHUNK + 5, 1)
    assert "line 4 already" in messages(report)[0]


def test_another_project_has_keys_of_its_own(project: Project, tmp_path: Path) -> None:
    bring(project, tmp_path, row(1))
    assert bring(make_project(), tmp_path, row(1))["kept"] == 1


UPDATE, ROUND = ("--duplicates", "update"), ("--duplicates", "round")


def test_an_update_gives_untouched_items_a_newer_suggestion(project: Project, tmp_path: Path) -> None:
    bring(project, tmp_path, row(1))
    assert bring(project, tmp_path, row(1, feedback="Better."), words=UPDATE)["kept"] == 1
    item = Item.objects.get()
    assert (item.round, drafts.suggestion_for(item).draft["feedback"], item.slots.count()) == (1, "Better.", 1)


def test_an_update_replaces_the_facts_of_untouched_items(project: Project, tmp_path: Path) -> None:
    bring(project, tmp_path, row(1))
    bring(project, tmp_path, row(1, user_query="How many moons has Venus?"), words=UPDATE)
    item = Item.objects.get()
    assert (item.title, item.facts["user_query"]) == ("How many moons has Venus?",) * 2


def test_an_update_opens_an_item_that_waited_for_a_suggestion(tmp_path: Path) -> None:
    project = make_project(waits_for_suggestion=True)
    bring(project, tmp_path, facts_only(1))
    bring(project, tmp_path, row(1), words=UPDATE)
    assert (Item.objects.get().state, Slot.objects.open().count()) == ("ready", 1)


def test_an_update_with_nothing_new_is_a_duplicate(project: Project, tmp_path: Path) -> None:
    bring(project, tmp_path, row(1))
    report = bring(project, tmp_path, row(1), words=UPDATE)
    assert (report["duplicates"], Annotation.objects.count()) == (1, 1)


def test_an_update_leaves_alone_what_somebody_holds(project: Project, tmp_path: Path) -> None:
    bring(project, tmp_path, row(1))
    assert queue.claim_next(make_member(project), "annotate") is not None
    report = bring(project, tmp_path, row(1, feedback="Better."), words=UPDATE)
    assert (report["duplicates"], Annotation.objects.count()) == (1, 1)
    assert "only a new round" in messages(report)[0]


def test_an_update_does_not_bring_back_what_was_dropped(project: Project, tmp_path: Path) -> None:
    bring(project, tmp_path, row(1))
    Item.objects.update(state="dropped", drop_reason="other")
    assert bring(project, tmp_path, row(1, feedback="Better."), words=UPDATE)["duplicates"] == 1


def test_final_drafts_update_what_only_imports_have_accepted(project: Project, tmp_path: Path) -> None:
    bring(project, tmp_path, row(1), words=("--accept",))
    report = bring(project, tmp_path, row(1, feedback="Better."), words=("--accept", *UPDATE))
    item = Item.objects.get()
    assert (report["kept"], item.state, item.base.draft["feedback"]) == (1, "accepted", "Better.")
    assert not Slot.objects.open().exists()


def submitted(project: Project, feedback: str) -> Item:
    """The only item, handed in with this feedback and, where nobody reviews, accepted."""
    member = make_member(project)
    slot = queue.claim_next(member, "annotate")
    item = Item.objects.get()
    draft = drafts.open_draft(slot, author=member.user, item=item, project=project)
    draft = drafts.save(draft, {**draft.draft, "feedback": feedback}, revision=0, decided=[])
    return submitting.submit(annotation=draft, token=slot.token, by=member.user)


def test_a_new_round_starts_from_the_new_draft(tmp_path: Path) -> None:
    project = make_project(reviews=0)
    bring(project, tmp_path, row(1))
    assert submitted(project, "Mine.").state == "accepted"
    assert bring(project, tmp_path, row(1, feedback="Newer."), words=ROUND)["kept"] == 1
    item = Item.objects.get()
    assert (item.state, item.round, item.base.draft["feedback"]) == ("ready", 2, "Newer.")
    assert Slot.objects.open().get().round == 2
    assert Annotation.objects.filter(author__isnull=False).get().draft["feedback"] == "Mine."


def test_a_new_round_takes_the_item_from_whoever_holds_it(project: Project, tmp_path: Path) -> None:
    bring(project, tmp_path, row(1))
    held = queue.claim_next(make_member(project), "annotate")
    bring(project, tmp_path, row(1, feedback="Newer."), words=ROUND)
    assert (Slot.objects.get(pk=held.pk).state, Item.objects.get().round) == ("void", 2)


def test_a_new_round_never_changes_facts_that_people_have_worked_with(project: Project, tmp_path: Path) -> None:
    bring(project, tmp_path, row(1))
    submitted(project, "Mine.")
    report = bring(project, tmp_path, row(1, user_query="Other?"), words=ROUND)
    assert (report["duplicates"], Item.objects.get().facts["user_query"]) == (1, "How many moons has planet 1?")
    assert "another key" in messages(report)[0]


# --- batches --------------------------------------------------------------------------------------------------------
def uploaded(project: Project, *rows: Any, by: Any = None) -> Batch:
    """A confirmed upload that waits for a worker."""
    name = files.random_name()
    write_rows(files.uploaded(name), rows)
    return importing.start(
        project=project, file_name="up.jsonl", settings=Settings("jsonl"), by=by, stored_as=name, sha256="0" * 64
    )


def test_a_worker_runs_a_waiting_batch_once_and_tells_the_lead(project: Project) -> None:
    lead = make_member(project, "lead").user
    batch = uploaded(project, row(1), row(2), by=lead)
    importing.run_uploaded(batch.pk)
    importing.run_uploaded(batch.pk)
    batch.refresh_from_db()
    assert (batch.state, batch.kept, Item.objects.count()) == ("done", 2, 2)
    assert Notification.objects.get().user == lead
    assert not files.uploaded(batch.stored_as).exists()


def interrupted(batch: Batch, monkeypatch: pytest.MonkeyPatch, *, after: int) -> None:
    """Run the batch until the worker dies while it stores the chunk with this number."""
    store = importing.importing_new.store
    calls = iter(range(after + 1))

    def dying(*given: Any) -> int:
        last = store(*given)
        if next(calls) == after:
            raise KeyboardInterrupt
        return last

    with monkeypatch.context() as patched:
        patched.setattr(importing.importing_new, "store", dying)
        with pytest.raises(KeyboardInterrupt):
            importing.run_uploaded(batch.pk)


def test_a_killed_import_goes_on_where_it_was(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [facts_only(no) for no in range(2 * CHUNK)]
    rows[7] = {"key": "bad"}
    rows[CHUNK + 3] = facts_only(5)
    rows[CHUNK + 9] = {"key": "worse"}
    batch = uploaded(project, *rows)
    interrupted(batch, monkeypatch, after=1)
    batch.refresh_from_db()
    assert (batch.state, batch.read, Item.objects.count()) == ("running", CHUNK, CHUNK - 1)
    Batch.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert importing.claimable() == [batch.pk]
    importing.run_uploaded(batch.pk)
    batch.refresh_from_db()
    counts = (batch.state, batch.read, batch.kept, batch.duplicates, batch.rejected)
    assert counts == ("done", 2 * CHUNK, 2 * CHUNK - 3, 1, 2)
    assert Item.objects.count() == 2 * CHUNK - 3
    rejected = files.rejects(batch.rejects_as).read_text().splitlines()
    assert [json.loads(line)["key"] for line in rejected] == ["bad", "worse"]
    assert any("line 6 already" in problem["message"] for problem in batch.problems)


def test_of_two_workers_on_one_batch_one_stops(project: Project) -> None:
    batch = uploaded(project, row(1))
    mine = importing.claim(batch.pk)
    Batch.objects.update(read=1)
    with pytest.raises(LeaseLost):
        importing.run(mine, files.uploaded(batch.stored_as))
    assert not Item.objects.exists()


def test_a_fault_of_the_program_ends_the_batch_with_a_word(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*given: Any) -> None:
        raise ZeroDivisionError

    batch = uploaded(project, row(1))
    monkeypatch.setattr(importing.importing_new, "store", broken)
    importing.run_uploaded(batch.pk)
    batch.refresh_from_db()
    assert (batch.state, batch.kept) == ("failed", 0)
    assert "fault in this program" in batch.problems[0]["message"]


def test_a_command_that_was_killed_is_called_failed(project: Project) -> None:
    long_ago = timezone.now() - timedelta(hours=1)
    batch = importing.start(
        project=project, file_name="a.jsonl", settings=Settings("jsonl"), by=None, state="running", lease_until=long_ago
    )
    assert importing.claimable() == []
    assert importing.fail_abandoned_commands() == 1
    batch.refresh_from_db()
    assert batch.state == "failed"
    assert "Run it again" in batch.problems[0]["message"]


def test_rejected_rows_can_be_mended_and_imported_again(project: Project, tmp_path: Path) -> None:
    bring(project, tmp_path, row(1), row(2, feedback=7))
    path = files.rejects(Batch.objects.get().rejects_as)
    (kept,) = [json.loads(line) for line in path.read_text().splitlines()]
    assert kept["provenance"] == {"line": 2, "problems": [{"path": "feedback", "message": "must be text, not 7."}]}
    assert bring(project, tmp_path, {**kept, "feedback": "Seven."})["kept"] == 1


def test_problems_are_listed_up_to_a_thousand_and_the_rest_is_counted(project: Project, tmp_path: Path) -> None:
    report = bring(project, tmp_path, *({"key": f"bad-{no}"} for no in range(LISTED)))
    assert len(report["problems"]) == LISTED + 1
    assert report["problems"][-1]["message"] == f"{2 * LISTED} more problems are not listed."
    batch = Batch.objects.get()
    assert (len(batch.problems), batch.unlisted, batch.rejected) == (LISTED, 2 * LISTED, LISTED)


@pytest.mark.parametrize("most", [1, 1000])
def test_what_others_stored_is_found_with_few_neighbours_and_with_many(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr("annotate.services.importing.duplicates.Neighbours.MOST", most)
    bring(project, tmp_path, row(1), row(2))
    report = bring(project, tmp_path, row(1), row(2, key="another"), row(3))
    assert (report["kept"], report["duplicates"]) == (1, 2)
