import hashlib
import json
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from django.utils.translation import override

from annotate.chores import make_release
from annotate.engine import concurrency
from annotate.errors import LeaseLost
from annotate.models import Annotation, Item, Project, Release, Slot
from annotate.releases import actions
from annotate.releases.actions import ReleaseFilters, fault_of_splits
from annotate.releases.compare_pages import changed_items, compare_releases
from annotate.releases.files import Writer, discard, folder, path_of
from annotate.releases.final_texts import best_texts, model_share
from annotate.releases.manifests import card
from tests.annotate.work.test_overlapping import OTHER, hand_in, overlapped
from tests.support import use_cases
from tests.support.files import facts_only, imported, row, without, write_rows
from tests.support.people import DRAFT, make_project
from tests.support.reviews import SUGGESTED, WRITTEN, Case, make_case

pytestmark = pytest.mark.django_db


@pytest.fixture
def case() -> Case:
    return make_case()


def released(project: Project, **filters: Any) -> Release:
    filters = {"state": "any"} | filters
    planned = actions.plan(project=project, filters=ReleaseFilters(**filters), by=None)
    make_release.work(planned.pk)
    planned.refresh_from_db()
    assert planned.state == "done"
    return planned


def rows(release: Release) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path_of(release.stored_as).read_bytes().split(b"\n") if line]


def only_row(project: Project, **filters: Any) -> dict[str, Any]:
    (one,) = rows(released(project, **filters))
    return one


# --- which text -----------------------------------------------------------------------------------------------------
def test_nothing_but_the_accepted_is_released_unless_asked(case: Case) -> None:
    case.item("open")
    assert rows(released(case.project, state="accepted")) == []
    assert [one["key"] for one in rows(released(case.project))] == ["open"]


def test_untouched_items_have_their_suggestion(case: Case) -> None:
    case.item()
    one = only_row(case.project)
    assert one["feedback"] == SUGGESTED["feedback"]
    told = one["provenance"]
    assert (told["state"], told["by"], told["model_share"], told["unchanged"]) == ("ready", None, 1.0, True)
    assert told["suggestion"] == {"model": "drafter-a", "prompt_version": "v4"}


def test_what_was_handed_in_comes_before_the_suggestion(case: Case) -> None:
    case.written(case.item())
    told = only_row(case.project)
    assert told["feedback"] == WRITTEN["feedback"]
    assert (told["provenance"]["by"], told["provenance"]["unchanged"]) == ("annotator", False)
    assert 0.5 < told["provenance"]["model_share"] < 1


def test_the_accepted_text_names_author_reviewer_and_guidelines(case: Case) -> None:
    from annotate.review import decisions

    review = case.under_review()
    decisions.accept(review=review, token=review.slot.token, by=case.reviewer)
    told = only_row(case.project, state="accepted")["provenance"]
    assert (told["by"], told["reviewed_by"], told["guideline_version"], told["round"]) == (
        "annotator",
        "reviewer",
        1,
        1,
    )
    assert told["at"] is not None


def test_of_an_overlap_everybody_is_named_who_wrote_independently() -> None:
    item, writers = overlapped()
    for writer in writers:
        hand_in(item, writer)
    told = only_row(item.project, state="accepted")["provenance"]
    assert told["annotators"] == [str(writer.user) for writer in writers]
    assert told["by"] == told["annotators"][0]


def test_nobody_is_named_while_those_who_differ_wait_for_a_third() -> None:
    item, writers = overlapped()
    for writer, draft in zip(writers, (DRAFT, OTHER), strict=True):
        hand_in(item, writer, draft)
    assert "annotators" not in only_row(item.project)["provenance"]


def test_a_fix_is_released_as_the_reviewers_text(case: Case) -> None:
    from annotate.review import decisions

    review = case.fix(case.under_review(), feedback="Fixed.")
    decisions.fix_and_accept(review=review, token=review.slot.token, by=case.reviewer)
    told = only_row(case.project, state="accepted")
    assert (told["feedback"], told["provenance"]["by"]) == ("Fixed.", "reviewer")


def test_items_without_any_text_have_their_facts_alone(case: Case) -> None:
    case.item(suggestion=None)
    told = only_row(case.project)
    assert told["user_query"].startswith("Which is heavier")
    assert not {"feedback", "checklist", "task_type"} & set(told)
    assert told["provenance"] == {"state": "ready", "round": 1}


def test_what_nobody_has_filled_in_is_left_out(tmp_path: Path) -> None:
    project = make_project()
    imported(project, write_rows(tmp_path / "a.jsonl", [without(row(1), "checklist", "feedback_type")]))
    told = only_row(project)
    assert told["feedback"] == DRAFT["feedback"]
    assert not {"checklist", "feedback_type"} & set(told)


def test_a_suggested_value_that_the_form_starts_with_is_released(tmp_path: Path) -> None:
    """The first question of a case is usually its question: what a model found right is in the file."""
    project = make_project(kind_slug="use_case")
    suggested = use_cases.DRAFT | {"keep": None, "personal_data": None, "harmless": None, "model": "drafter-a"}
    imported(project, write_rows(tmp_path / "a.jsonl", [{**use_cases.FACTS, "suggestion": suggested}]))
    told = only_row(project)
    assert told["first_question"] == use_cases.FACTS["question"]
    assert (told["intent"], told["drop_reason"]) == ("Ask_for_Advice", "")
    assert not {"keep", "personal_data", "harmless"} & set(told)


def test_a_field_that_another_decides_is_left_out_with_it(case: Case) -> None:
    case.item(suggestion=SUGGESTED | {"task_type": "", "sub_task_type": ""})
    told = only_row(case.project)
    assert told["feedback"] == SUGGESTED["feedback"]
    assert not {"task_type", "sub_task_type"} & set(told)


def test_only_work_is_released(case: Case) -> None:
    for purpose in ("calibration", "gold", "attention"):
        Item.objects.filter(pk=case.item(purpose).pk).update(purpose=purpose)
    assert rows(released(case.project)) == []


def test_rows_come_in_the_order_of_the_items_over_all_chunks(tmp_path: Path) -> None:
    project = make_project()
    count = 2 * actions.CHUNK + 3
    imported(project, write_rows(tmp_path / "a.jsonl", [facts_only(no) for no in range(count)]))
    assert [one["key"] for one in rows(released(project))] == [f"row-{no}" for no in range(count)]


def test_filters_by_group_and_language(case: Case) -> None:
    for key, group, language in [("a", "Coding", "en"), ("b", "Coding", "zh"), ("c", "Reasoning", "en")]:
        Item.objects.filter(pk=case.item(key).pk).update(group=group, language=language)
    assert [one["key"] for one in rows(released(case.project, groups=["Coding"]))] == ["a", "b"]
    assert [one["key"] for one in rows(released(case.project, languages=["en"]))] == ["a", "c"]


# --- shares and splits ----------------------------------------------------------------------------------------------
def test_the_models_share_is_the_same_whatever_language_the_lead_reads(case: Case) -> None:
    other = {**SUGGESTED, "error_type": ["Logical Error"], "task_type": "Reasoning"}
    kind = case.project.kind
    fields = kind.fields(kind.read_facts(facts_of()))
    counted = set()
    for language in ("en", "zh-hans"):
        with override(language):
            counted.add(model_share(kind, fields, other, WRITTEN))
    assert len(counted) == 1


def test_the_models_share_counts_what_of_its_text_is_left() -> None:
    kind = make_project().kind
    fields = [field for field in kind.fields(kind.read_facts(facts_of())) if field.name == "feedback"]
    share = lambda old, new: model_share(kind, fields, {"feedback": old}, {"feedback": new})  # noqa: E731
    assert share("one two", "one two") == 1.0
    assert share("one two", "four five six") == 0.0
    # "onetwo" (6 letters) of "onetwothree" (11) stood in the suggestion
    assert share("one two", "one two three") == pytest.approx(6 / 11, abs=0.001)
    assert share("one two", "") is None


def facts_of() -> dict[str, Any]:
    return without(facts_only(1), "key")


def test_splits_are_drawn_by_key_and_seed_and_stay() -> None:
    filters = ReleaseFilters(splits={"train": 0.8, "test": 0.2}, seed=7)
    drawn = [filters.split_of(f"k{no}") for no in range(2000)]
    # binomial: 1600 expected, four standard deviations are 72
    assert 1528 < drawn.count("train") < 1672
    assert drawn == [filters.split_of(f"k{no}") for no in range(2000)]
    assert drawn != [ReleaseFilters(splits=filters.splits, seed=8).split_of(f"k{no}") for no in range(2000)]
    assert ReleaseFilters().split_of("k") is None


@pytest.mark.parametrize(
    ("splits", "fits"),
    [({}, True), ({"a": 0.5, "b": 0.5}, True), ({"a": 0.5}, False), ({"a": 0.0, "b": 1.0}, False)],
)
def test_shares_of_splits_add_up(splits: dict[str, float], fits: bool) -> None:
    assert (fault_of_splits(splits) is None) == fits


def test_a_split_stands_in_row_and_manifest(case: Case) -> None:
    case.item()
    release = released(case.project, splits={"train": 1.0})
    assert rows(release)[0]["provenance"]["split"] == "train"
    assert release.manifest["counts"]["split"] == {"train": 1}
    assert release.manifest["splits"] == {"shares": {"train": 1.0}, "seed": 0}


# --- the file and what stands beside it -----------------------------------------------------------------------------
def test_the_manifest_says_what_the_file_holds(case: Case) -> None:
    case.item()
    release = released(case.project)
    content = path_of(release.stored_as).read_bytes()
    told = release.manifest
    assert told["sha256"] == release.sha256 == hashlib.sha256(content).hexdigest()
    assert told["rows"] == release.rows == 1
    assert (told["project"], told["kind"], told["version"], told["schema"]) == ("fb", "feedback", 1, 1)
    assert told["counts"]["bench_type"] == {"Error Correction": 1}
    assert told["counts"]["state"] == {"ready": 1}
    assert "checklist" in told["fields"]


def test_characters_stand_for_themselves_and_a_row_is_a_line(tmp_path: Path) -> None:
    project = make_project()
    imported(project, write_rows(tmp_path / "a.jsonl", [facts_only(1, user_query="火星\u2028与\r\n\u0085卫星")]))
    content = path_of(released(project).stored_as).read_bytes()
    assert "火星\u2028与\\r\\n\u0085卫星".encode() in content
    assert content.count(b"\n") == 1


def test_the_key_stands_first_and_provenance_last(case: Case) -> None:
    case.item()
    names = list(only_row(case.project))
    assert (names[0], names[-1]) == ("key", "provenance")


def test_the_card_tells_licence_counts_and_digest(case: Case) -> None:
    case.item()
    release = released(case.project)
    release.manifest["licence"] = "CC BY 4.0"
    told = card(release.manifest)
    assert "CC BY 4.0" in told
    assert "| bench_type | Error Correction | 1 |" in told
    assert release.sha256 in told


def test_a_file_that_was_not_finished_is_not_there(case: Case) -> None:
    before = set(folder().iterdir())
    with suppress(RuntimeError), Writer("unfinished.jsonl") as writer:
        writer.write({"key": "a", "provenance": {}})
        raise RuntimeError
    assert set(folder().iterdir()) == before


def test_what_a_killed_worker_left_goes_when_the_next_has_written_the_release(case: Case) -> None:
    before = set(folder().iterdir())
    half_written(stored_as="twice.jsonl")
    with Writer("twice.jsonl") as writer:
        writer.publish()
    assert {path.name for path in set(folder().iterdir()) - before} == {"twice.jsonl", "twice.jsonl.index"}
    discard("twice.jsonl")
    assert set(folder().iterdir()) == before


def test_a_worker_that_was_taken_for_dead_publishes_nothing(case: Case) -> None:
    before = set(folder().iterdir())
    with Writer("late.jsonl") as late:
        discard("late.jsonl")
        with pytest.raises(LeaseLost):
            late.publish()
    assert set(folder().iterdir()) == before


def half_written(stored_as: str) -> None:
    """As by a worker that is killed: nothing is tidied up."""
    writer = Writer(stored_as).__enter__()
    writer.write({"key": "a", "provenance": {}})
    writer._file.close()
    writer._index.close()


def test_versions_count_up_and_a_finished_one_is_never_written_again(case: Case) -> None:
    case.item()
    first, second = released(case.project), released(case.project)
    assert (first.version, second.version) == (1, 2)
    Annotation.objects.update(draft={**SUGGESTED, "feedback": "Other."})
    make_release.work(first.pk)
    assert rows(first)[0]["feedback"] == SUGGESTED["feedback"]


def test_a_release_whose_worker_is_gone_is_written_by_the_next(case: Case) -> None:
    case.item()
    planned = actions.plan(project=case.project, filters=ReleaseFilters(state="any"), by=None)
    assert actions.leases.claim(planned.pk) is not None
    assert actions.leases.claimable() == []
    assert actions.leases.claim(planned.pk) is None
    Release.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert actions.leases.claimable() == [planned.pk]
    make_release.work(planned.pk)
    planned.refresh_from_db()
    assert planned.state == "done"


def test_a_release_whose_worker_has_to_stop_leaves_no_file_and_is_written_anew(
    case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    case.item()
    planned = actions.plan(project=case.project, filters=ReleaseFilters(state="any"), by=None)
    before = set(folder().iterdir())
    with monkeypatch.context() as patched:
        patched.setattr(concurrency, "mark", concurrency.Mark())
        patched.setattr(actions, "best_texts", lambda items: concurrency.begin() or best_texts(items))
        make_release.work(planned.pk)
    assert (set(folder().iterdir()), actions.leases.claimable()) == (before, [planned.pk])
    make_release.work(planned.pk)
    planned.refresh_from_db()
    assert (planned.state, planned.rows) == ("done", 1)


def test_the_slower_of_two_writers_gives_up(case: Case) -> None:
    case.item()
    claimed = actions.leases.claim(actions.plan(project=case.project, filters=ReleaseFilters(state="any"), by=None).pk)
    Release.objects.update(lease_until=timezone.now() + timedelta(minutes=9))
    with pytest.raises(LeaseLost):
        actions.write(claimed)
    claimed.refresh_from_db()
    assert claimed.state == "waiting"


def test_a_release_that_cannot_be_written_fails_and_can_be_tried_again(
    case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(writer: Writer) -> None:
        raise OSError(28, "No space left on device")

    planned = actions.plan(project=case.project, filters=ReleaseFilters(), by=None)
    with monkeypatch.context() as patched:
        patched.setattr(Writer, "publish", full)
        make_release.work(planned.pk)
    planned.refresh_from_db()
    assert (planned.state, path_of(planned.stored_as).exists()) == ("failed", False)
    assert actions.retry(planned)
    make_release.work(planned.pk)
    planned.refresh_from_db()
    assert planned.state == "done"


def test_withdrawing_happens_once(case: Case) -> None:
    release = released(case.project)
    assert actions.withdraw(release)
    assert not actions.withdraw(release)
    release.refresh_from_db()
    assert release.withdrawn_at is not None


# --- comparing ------------------------------------------------------------------------------------------------------
def test_two_releases_differ_by_added_removed_and_changed_items(case: Case) -> None:
    for key in ("same", "changed", "gone"):
        case.item(key)
    old = released(case.project)
    Annotation.objects.filter(item__key="changed").update(draft={**SUGGESTED, "feedback": "Other."})
    Slot.objects.filter(item__key="gone").delete()
    Item.objects.filter(key="gone").update(purpose="gold")
    case.item("new")
    new = released(case.project)
    found = compare_releases(old, new)
    assert (found.added, found.removed, found.same) == (["new"], ["gone"], 1)
    (changed,) = changed_items(found, found.changed)
    assert (changed.key, changed.names) == ("changed", ["feedback"])
    assert [compared.field.name for compared in changed.fields] == ["feedback"]


def test_provenance_alone_is_no_change(case: Case) -> None:
    case.item()
    old = released(case.project)
    Annotation.objects.update(prompt_version="v5")
    found = compare_releases(old, released(case.project))
    assert (found.changed, found.same) == ([], 1)
