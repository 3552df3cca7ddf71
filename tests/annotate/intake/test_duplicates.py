"""Rows that repeat each other, and rows about items that are stored already."""

from pathlib import Path

import pytest

from annotate.intake.batches import CHUNK
from annotate.items import drafts, queue
from annotate.models import Annotation, Item, Project, Slot
from annotate.work import submit
from tests.support.files import bring, facts_only, imported, messages, row, without, write_rows
from tests.support.people import make_member, make_project

pytestmark = pytest.mark.django_db


def test_a_repeated_key_names_the_first_line(project: Project, tmp_path: Path) -> None:
    report = bring(project, tmp_path, row(1), row(2), row(1, user_query="Something else?"))
    assert (report["kept"], report["duplicates"]) == (2, 1)
    assert "line 1, with other facts" in messages(report)[0]


def test_repeated_content_is_found_under_another_key(project: Project, tmp_path: Path) -> None:
    report = bring(project, tmp_path, row(1), row(1, key="other"))
    assert (report["kept"], report["duplicates"]) == (1, 1)
    assert "same content is already in line 1" in messages(report)[0]


def test_stored_keys_and_contents_are_left_alone_and_named(project: Project, tmp_path: Path) -> None:
    bring(project, tmp_path, row(1))
    report = bring(project, tmp_path, row(1))
    assert (report["kept"], report["duplicates"]) == (0, 1)
    assert messages(report) == ["The key “row-1” is already stored."]
    assert messages(bring(project, tmp_path, row(1, key="new"))) == ["The same content is already stored as “row-1”."]
    assert Annotation.objects.count() == 1


def test_other_facts_under_a_stored_key_are_said(project: Project, tmp_path: Path) -> None:
    bring(project, tmp_path, row(1))
    assert "with other facts" in messages(bring(project, tmp_path, row(1, user_query="Other?")))[0]


def test_repetitions_across_chunks_are_found(project: Project, tmp_path: Path) -> None:
    rows = [facts_only(no) for no in range(CHUNK + 5)]
    report = bring(project, tmp_path, *rows, facts_only(3))
    assert (report["kept"], report["duplicates"]) == (CHUNK + 5, 1)
    assert "already in line 4" in messages(report)[0]


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
    before = Item.objects.get().changed_at
    bring(project, tmp_path, row(1, user_query="How many moons has Venus?"), words=UPDATE)
    item = Item.objects.get()
    assert (item.title, item.facts["user_query"]) == ("How many moons has Venus?",) * 2
    assert item.changed_at > before  # boards of the old facts are computed again


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
    return submit.submit(annotation=draft, token=slot.token, by=member.user)


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


@pytest.mark.parametrize("most", [1, 1000])
def test_what_others_stored_is_found_with_few_neighbours_and_with_many(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr("annotate.intake.duplicates.Neighbours.MOST", most)
    bring(project, tmp_path, row(1), row(2))
    report = bring(project, tmp_path, row(1), row(2, key="another"), row(3))
    assert (report["kept"], report["duplicates"]) == (1, 2)


# --- keys from the place in the file ----------------------------------------------------------------------------------
def published(folder: Path, name: str, *numbers: int) -> Path:
    """Rows in the shape of FB-Bench, which have no key."""
    return write_rows(folder / name, [without(row(no), "key") for no in numbers])


def test_another_file_without_keys_keeps_all_its_rows(project: Project, tmp_path: Path) -> None:
    words = ("--format", "fbbench")
    first, other = published(tmp_path, "a.jsonl", 1, 2, 3), published(tmp_path, "b.jsonl", 4, 5, 2, 6)
    assert imported(project, first, *words)["kept"] == 3
    report = imported(project, other, *words)
    assert (report["kept"], report["duplicates"]) == (3, 1)
    assert messages(report) == ["The same content is already stored as “fbbench-0001”."]
    keys = set(project.items.values_list("key", flat=True))
    assert {"fbbench-0000", "fbbench-0001", "fbbench-0002", "fbbench-0003"} <= keys
    assert len(keys) == 6


@pytest.mark.parametrize("words", [(), UPDATE, ROUND])
def test_a_file_without_keys_is_recognised_when_it_comes_again(
    project: Project, tmp_path: Path, words: tuple[str, ...]
) -> None:
    files = [published(tmp_path, "a.jsonl", 1, 2), published(tmp_path, "b.jsonl", 3, 4)]
    for path in files:
        imported(project, path, "--format", "fbbench")
    again = [imported(project, path, "--format", "fbbench", *words) for path in files]
    assert [(report["kept"], report["duplicates"]) for report in again] == [(0, 2), (0, 2)]
    assert project.items.count() == 4


def test_two_files_without_keys_of_one_command_do_not_hide_each_other(project: Project, tmp_path: Path) -> None:
    first, other = published(tmp_path, "a.jsonl", 1, 2), published(tmp_path, "b.jsonl", 2, 3)
    report = imported(project, first, other, "--format", "fbbench")
    assert (report["kept"], report["duplicates"]) == (3, 1)
    assert messages(report) == [f"The same content is already in line 2 of {first}; that one is used."]


def test_a_dry_run_counts_what_the_import_keeps(project: Project, tmp_path: Path) -> None:
    imported(project, published(tmp_path, "a.jsonl", 1, 2), "--format", "fbbench")
    path = published(tmp_path, "b.jsonl", 3, 4)
    reports = [imported(project, path, "--format", "fbbench", *words) for words in (["--dry-run"], [])]
    assert [report["kept"] for report in reports] == [2, 2]


def test_a_key_in_the_row_itself_still_counts_as_its_name(project: Project, tmp_path: Path) -> None:
    imported(project, published(tmp_path, "a.jsonl", 1), "--format", "fbbench")
    path = write_rows(tmp_path / "b.jsonl", [row(2, key="fbbench-0000")])
    assert imported(project, path, "--format", "fbbench")["duplicates"] == 1
