import re
from contextlib import contextmanager
from decimal import Decimal
from typing import Any

import pytest
from django.core import mail
from pytest_django import DjangoCaptureOnCommitCallbacks, Settings

from annotate.models import Job, Notification, Run, User
from annotate.runs import actions, execution
from annotate.runs.execution import finish, work
from tests.support.faulty_model import FaultyModel
from tests.support.small_purpose import Words, make_endpoint, planned

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("at_once")]


@pytest.fixture
def lea() -> User:
    return User.objects.create_user("lea", email="lea@example.org")


def ended(model: FaultyModel, by: User | None, *, items: int = 4, budget: Decimal | None = None, **columns: Any) -> Run:
    run = planned(make_endpoint(model.base_url, max_in_flight=1, **columns), items=items, budget=budget)
    actions.start(run, by, ring=False)
    work(run)
    return run


def test_who_started_a_run_hears_that_it_is_finished(words: Words, model: FaultyModel, lea: User) -> None:
    run = ended(model, lea)
    told = Notification.objects.get()
    assert (told.user, told.verb, told.run, told.project, told.actor) == (lea, "finished", run, run.project, None)
    assert told.note == f"Run {run.pk}, Words: 4 of 4 jobs done."


def test_the_message_says_how_many_failed_and_mostly_why(words: Words, model: FaultyModel, lea: User) -> None:
    faults = {1: "bad_request", 2: "filtered", 3: "bad_request"}
    model.chooses = lambda _question, _times: faults.get(model.calls, "good")
    ended(model, lea, items=5)
    told = Notification.objects.get()
    assert told.verb == "finished"
    assert told.note.endswith("2 of 5 jobs done, 3 failed, mostly: request refused.")


def test_a_run_that_stopped_at_its_budget_says_so(words: Words, model: FaultyModel, lea: User) -> None:
    run = ended(model, lea, items=20, budget=Decimal("0.42"), price_in=Decimal(10), price_out=Decimal(100))
    told = Notification.objects.get()
    assert (told.user, told.verb, told.run) == (lea, "stopped", run)
    assert re.fullmatch(r"Run \d+, Words: paused, \d of 20 jobs done\. Cause: budget used up\.", told.note)


def test_a_run_whose_key_was_refused_says_so(words: Words, model: FaultyModel, lea: User) -> None:
    model.chooses = lambda _question, _times: "unauthorised"
    run = ended(model, lea, items=20)
    told = Notification.objects.get()
    assert told.verb == "stopped"
    assert told.note == f"Run {run.pk}, Words: paused, 0 of 20 jobs done. Cause: key refused."


def test_a_run_whose_key_was_refused_later_says_so(words: Words, model: FaultyModel, lea: User) -> None:
    model.chooses = lambda _question, _times: "good" if model.calls == 1 else "unauthorised"
    ended(model, lea, items=20)
    told = Notification.objects.get()
    assert (told.verb, told.note.partition("mostly")[2]) == ("stopped", ": key refused.")


def test_of_two_workers_that_see_the_end_one_tells(
    words: Words, model: FaultyModel, lea: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both have found that no job is open; the other is quicker."""
    run = planned(make_endpoint(model.base_url), items=1)
    actions.start(run, lea, ring=False)
    run.jobs.update(state=Job.State.DONE)
    atomic, others = execution.transaction.atomic, []

    @contextmanager
    def late() -> Any:
        if not others:
            others.append(True)
            others.append(finish(Run.objects.all()))
        with atomic():
            yield

    monkeypatch.setattr(execution.transaction, "atomic", late)
    assert finish(Run.objects.all()) == 0
    assert others == [True, 1]
    assert Notification.objects.count() == 1


def test_who_takes_it_up_again_is_told_the_next_time(words: Words, model: FaultyModel, lea: User) -> None:
    model.chooses = lambda _question, _times: "bad_request"
    run = ended(model, lea)
    model.chooses = None
    max_ = User.objects.create_user("max")
    actions.retry_failed(run, max_, ring=False)
    work(run)
    assert list(Notification.objects.order_by("pk").values_list("user__username", flat=True)) == ["lea", "max"]
    actions.retry_failed(run, None, ring=False)
    assert run.started_by == max_, "a command leaves it to whom it was before"


def test_nobody_is_told_of_what_a_command_started(words: Words, model: FaultyModel) -> None:
    ended(model, None)
    assert not Notification.objects.exists()


def test_nobody_is_told_of_a_trial(
    words: Words, model: FaultyModel, lea: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever tries a prompt waits at its page."""
    monkeypatch.setattr(Words, "offered", False)
    ended(model, lea)
    assert not Notification.objects.exists()


def test_it_is_mailed_where_mail_is_set_up(
    words: Words,
    model: FaultyModel,
    lea: User,
    settings: Settings,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    settings.MAIL_CONFIGURED = True
    with django_capture_on_commit_callbacks(execute=True):
        run = ended(model, lea)
    (letter,) = mail.outbox
    assert (letter.to, "run finished" in letter.subject) == (["lea@example.org"], True)
    assert "4 of 4 jobs done" in letter.body
    assert f"/p/{run.project.slug}/runs/{run.pk}/" in letter.body
