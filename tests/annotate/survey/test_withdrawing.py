"""Whoever reported cases takes everything back: no table and no file keeps a word of it."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import caches
from django.db import transaction
from django.test import Client
from django.utils import timezone

from annotate.chores import erase_withdrawn, make_release
from annotate.errors import Refused, StaleDraft, WrongState
from annotate.items import actions, comments, drafts
from annotate.models import Annotation, Call, Erasure, Item, Job, Participant, Project, Run, SetAside, Slot, Withdrawal
from annotate.releases import actions as releases_actions
from annotate.releases.actions import ReleaseFilters
from annotate.releases.files import path_of
from annotate.survey import withdrawal
from annotate.upkeep import reconciliation
from judging.models import Answer, Part, Verdict
from tests.support.people import make_member
from tests.support.surveys import open_survey, sent
from tests.support.use_cases import DRAFT
from tests.support.withdrawn import WORD, hold, let_settle, reported_by, search, write_about

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _own_files(tmp_path: Any, settings: Any) -> None:
    caches["local"].clear()
    settings.DATA_DIR = tmp_path


@pytest.fixture
def them() -> Participant:
    return sent(open_survey())


def finish(made: Withdrawal) -> None:
    erase_withdrawn.work(made.pk)
    let_settle()
    erase_withdrawn.work(made.pk)
    made.refresh_from_db()
    assert made.ended_at is not None


def test_no_table_and_no_file_keeps_a_word(them: Participant) -> None:
    items = reported_by(them)
    write_about(items)
    before = set(search())
    assert {"annotate.Item.facts", "annotate.Call.request", "judging.Part.axis", "annotate.SetAside.draft"} <= before
    assert any(name.endswith(".jsonl") for name in before)
    finish(withdrawal.begin(them))
    assert search() == []
    assert search("frobnia") == []


def test_ids_hashes_times_and_figures_stay(them: Participant) -> None:
    items = reported_by(them)
    write_about(items)
    counted = {model: model.objects.count() for model in (Item, Annotation, Call, Answer, Verdict, Part)}
    finish(withdrawal.begin(them))
    assert {model: model.objects.count() for model in counted} == counted
    assert Verdict.objects.filter(score_first=7).count() == len(items)
    for old in items:
        now = Item.objects.get(pk=old.pk)
        assert (now.key, now.content_hash, now.created_at) == (old.key, old.content_hash, old.created_at)
        assert (now.state, now.drop_reason) == ("dropped", "withdrawn")
        assert now.project.kind.read_facts(now.facts)
        for written in now.annotations.all():
            assert now.project.kind.read_draft(written.draft)


def test_what_others_reported_stays_whole(them: Participant) -> None:
    other = sent(them.survey, first=21)
    write_about(reported_by(them))
    finish(withdrawal.begin(them))
    for item in reported_by(other):
        assert WORD in item.facts["question"]
        assert item.state == "ready"


def test_releases_that_hold_them_are_marked_and_closed_and_the_next_leaves_them_out(them: Participant) -> None:
    project, other = them.survey.project, sent(them.survey, first=21)
    write_about(reported_by(them))
    finish(withdrawal.begin(them))
    old = project.releases.get()
    assert (old.rows, old.erased, old.withdrawn_at is not None) == (10, 5, True)
    lead = Client()
    lead.force_login(make_member(project, "lead").user)
    for end in ("", "manifest/", "card/", "download/"):
        page = lead.get(f"/p/{project.slug}/releases/1/{end}")
        assert page.status_code in ((200,) if not end else (404, 410))
        assert "quokka1 " not in page.content.decode()
    new = releases_actions.plan(project=project, filters=ReleaseFilters(state="any"), by=None)
    make_release.work(new.pk)
    new.refresh_from_db()
    assert (new.rows, new.erased, new.withdrawn_at) == (5, 0, None)
    assert len(reported_by(other)) == 5


def test_pages_about_what_was_withdrawn_are_shown(them: Participant) -> None:
    items = reported_by(them)
    write_about(items)
    finish(withdrawal.begin(them))
    lead = Client()
    lead.force_login(make_member(them.survey.project, "lead").user)
    address = f"/p/{them.survey.project.slug}"
    calls = [f"/jobs/{job.pk}/" for job in Job.objects.filter(item=items[0])]
    for page in (f"/items/{items[0].pk}/", "/items/", "/survey/", "/overview/"[:1], *calls):
        assert lead.get(address + page).status_code == 200, page


# --- in parts -------------------------------------------------------------------------------------------------------
def test_a_worker_that_died_is_followed_by_another(them: Participant, monkeypatch: pytest.MonkeyPatch) -> None:
    write_about(reported_by(them))
    made = withdrawal.begin(them)
    monkeypatch.setattr(withdrawal, "TOGETHER", 2)
    erase, seen = withdrawal.erase_texts, []

    def dies(item: Item) -> None:
        seen.append(item.pk)
        if len(seen) == 4:
            raise KeyboardInterrupt
        erase(item)

    monkeypatch.setattr(withdrawal, "erase_texts", dies)
    with pytest.raises(KeyboardInterrupt):
        erase_withdrawn.work(made.pk)
    assert Erasure.objects.exclude(done_at=None).count() == 2
    assert erase_withdrawn.leases.claimable() == []  # until the lease of the dead one runs out
    Withdrawal.objects.update(lease_until=made.created_at)
    assert erase_withdrawn.leases.claimable() == [made.pk]
    finish(made)
    assert search() == []


def test_one_from_a_leap_ahead_of_the_clock_ends_a_minute_after_the_clock_is_right(them: Participant) -> None:
    withdrawal.begin(them)
    Withdrawal.objects.update(created_at=timezone.now() + timedelta(hours=2))
    erase_withdrawn.work(Withdrawal.objects.get().pk)
    assert reconciliation.shorten() == 1
    assert Withdrawal.objects.get().created_at <= timezone.now()
    assert Withdrawal.objects.get().ended_at is None
    let_settle()
    erase_withdrawn.work(Withdrawal.objects.get().pk)
    assert Withdrawal.objects.get().ended_at is not None
    assert search() == []


def test_it_ends_once(them: Participant) -> None:
    made = withdrawal.begin(them)
    with pytest.raises(WrongState):
        withdrawal.begin(them)
    finish(made)
    assert erase_withdrawn.leases.claimable() == []


def test_whoever_has_not_sent_anything_leaves_nothing() -> None:
    from tests.support.surveys import filled, participant_of

    them = participant_of(filled(open_survey()))
    finish(withdrawal.begin(them))
    assert search() == []
    assert them.cases.count() == 5


# --- races ----------------------------------------------------------------------------------------------------------
def test_a_page_that_is_still_open_saves_no_word_and_says_why(them: Participant) -> None:
    item, project = reported_by(them)[0], them.survey.project
    member = make_member(project)
    annotation = hold(item, member)
    client = Client()
    client.force_login(member.user)
    desk = f"/p/{project.slug}/work/{annotation.slot_id}/"
    assert client.get(desk).status_code == 200
    made = withdrawal.begin(them)
    posted = {"reference": WORD, "first_question": WORD, "keep": "yes", "revision": "0", "token": "x"}
    for end in ("save/", "submit/"):
        answer = client.post(desk + end, posted)
        assert answer.status_code == 409
        assert "The participant has withdrawn this case" in answer.content.decode()
        assert "My drafts" not in answer.content.decode().split('id="not-mine"')[1].split("</p>")[0]
    finish(made)
    assert search() == []
    assert not SetAside.objects.exists()


def test_a_save_that_was_under_way_finds_another_revision(them: Participant) -> None:
    annotation = hold(reported_by(them)[0], make_member(them.survey.project))
    Erasure.objects.all().delete()
    withdrawal.erase_texts(Item.objects.select_related("project").get(pk=annotation.item_id))
    with pytest.raises(StaleDraft):
        drafts.save(annotation, DRAFT, revision=annotation.revision, decided=[])


def test_nothing_more_is_written_and_nothing_restored(them: Participant) -> None:
    item, member = reported_by(them)[0], make_member(them.survey.project, "lead")
    withdrawal.begin(them)
    item = Item.objects.select_related("project").get(pk=item.pk)
    with pytest.raises(Refused):
        comments.start(item=item, by=member.user, text=WORD)
    with pytest.raises(WrongState):
        actions.restore(item, by=member.user)
    assert not Slot.objects.filter(item=item, state__in=["open", "held"]).exists()


def test_a_release_that_is_being_written_begins_anew(them: Participant, monkeypatch: pytest.MonkeyPatch) -> None:
    project = them.survey.project
    planned = releases_actions.plan(project=project, filters=ReleaseFilters(state="any"), by=None)
    chunks = releases_actions.chunks

    def slowly(project: Project, filters: ReleaseFilters) -> Any:
        yield from chunks(project, filters)
        if not Withdrawal.objects.exists():
            withdrawal.begin(them)

    monkeypatch.setattr(releases_actions, "chunks", slowly)
    make_release.work(planned.pk)
    planned.refresh_from_db()
    assert planned.state == "waiting"
    make_release.work(planned.pk)
    finish(Withdrawal.objects.get())
    planned.refresh_from_db()
    assert (planned.state, planned.rows, planned.erased) == ("done", 0, 0)
    assert search() == []


def test_what_a_model_is_asked_just_now_is_not_kept(them: Participant) -> None:
    item = reported_by(them)[0]
    write_about([item])
    job = Job.objects.create(run=Run.objects.get(), subject="now", item=item)
    Call.objects.create(job=job, step="s", attempt=1, digest="d", request={"messages": [WORD]})
    withdrawal.begin(them)
    erase_withdrawn.work(Withdrawal.objects.get().pk)
    job.refresh_from_db()
    assert job.state == "cancelled"
    assert not Call.objects.filter(cause=None).exists()


def test_what_was_written_while_it_was_dropped_is_found_later(them: Participant) -> None:
    item = reported_by(them)[0]
    made = withdrawal.begin(them)
    erase_withdrawn.work(made.pk)
    Annotation.objects.create(item=item, model="late", draft=DRAFT | {"reference": WORD})
    Item.objects.create(project=item.project, parent=item, key="late", facts={"question": WORD}, content_hash="h")
    finish(made)
    assert search() == []


def test_what_was_dropped_before_is_withdrawn_now(them: Participant) -> None:
    item = reported_by(them)[0]
    actions.drop(item, by=None, reason="duplicate")
    finish(withdrawal.begin(them))
    assert set(Item.objects.filter(reported__participant=them).values_list("drop_reason", flat=True)) == {"withdrawn"}


def test_a_release_whose_file_is_gone_already_is_marked_all_the_same(them: Participant) -> None:
    items = reported_by(them)
    write_about(items)
    path_of(them.survey.project.releases.get().stored_as).unlink()
    finish(withdrawal.begin(them))
    assert search() == []


@pytest.mark.django_db(transaction=True)
def test_the_log_of_the_database_is_emptied_as_soon_as_nobody_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    assert withdrawal.empty_log()
    with transaction.atomic():
        assert not withdrawal.empty_log()
    attempts = iter([False, False, True])
    monkeypatch.setattr(withdrawal, "BETWEEN", 0)
    monkeypatch.setattr(withdrawal, "_emptied", lambda: next(attempts))
    assert withdrawal.empty_log()
    assert next(attempts, None) is None
    monkeypatch.setattr(withdrawal, "_emptied", lambda: False)
    assert not withdrawal.empty_log()
