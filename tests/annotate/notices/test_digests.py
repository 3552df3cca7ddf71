"""Digests: planned by the clock, sent once, nothing lost when a worker is killed, ended by a signed link."""

from datetime import UTC, datetime, timedelta
from smtplib import SMTPServerDisconnected
from typing import Any

import pytest
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend
from django.test import Client
from django.utils import timezone

from annotate.chores import send_digest
from annotate.errors import LeaseLost
from annotate.models import Digest, Member, Notification, User
from annotate.notices import digests, mails
from annotate.notices.inbox import notify
from annotate.upkeep import reconciliation
from tests.support.people import make_item, make_member, make_project

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 3, 5, 6, 30, tzinfo=UTC)  # a Thursday, before the hour of digests
MORNING = NOW.replace(hour=7, minute=0)


class Clock:
    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = NOW
        monkeypatch.setattr(timezone, "now", lambda: self.now)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


@pytest.fixture
def ada(clock: Clock, settings: Any) -> Member:
    settings.MAIL_CONFIGURED, settings.SITE_URL = True, "https://touchstone.example.org"
    member = make_member(make_project(name="Sorbian <feedback>"))
    User.objects.filter(pk=member.user_id).update(email="ada@example.org", mails="daily", language="en")
    member.user.refresh_from_db()
    return member


def tell(
    member: Member, verb: str = "returned", *, at: datetime = NOW, by: User | None = None, note: str = "", **item: Any
) -> Notification:
    notify(member.user, make_item(member.project, **item), verb, by=by, note=note)
    Notification.objects.filter(pk=Notification.objects.latest("pk").pk).update(created_at=at)
    return Notification.objects.latest("pk")


def tick(clock: Clock, now: datetime) -> list[Any]:
    """What the clock and a worker do then; returns the mails that leave."""
    before, clock.now = len(mail.outbox), now
    reconciliation.tidy_up()
    for pk in send_digest.leases.claimable():
        send_digest.work(pk)
    return mail.outbox[before:]


def test_a_daily_digest_leaves_in_the_morning_once(ada: Member, clock: Clock) -> None:
    tell(ada)
    tell(ada)
    tell(ada, "accepted")
    assert tick(clock, NOW) == []
    (letter,) = tick(clock, MORNING)
    assert (letter.to, letter.subject) == (["ada@example.org"], "Touchstone: 3 notifications")
    assert "Sorbian <feedback>\n- accepted: 1\n" in letter.body
    assert f"- returned to you: 2\n  https://touchstone.example.org/p/{ada.project.slug}/work/" in letter.body
    assert tick(clock, MORNING) == []
    tell(ada, at=MORNING)
    assert tick(clock, MORNING + timedelta(hours=5)) == []
    assert [letter.subject for letter in tick(clock, MORNING + timedelta(days=1))] == ["Touchstone: 1 notification"]


def test_a_weekly_digest_leaves_on_monday(ada: Member, clock: Clock) -> None:
    User.objects.update(mails="weekly")
    ada.user.mails = "weekly"
    tell(ada)
    assert [len(tick(clock, MORNING + timedelta(days=day))) for day in range(12)] == [0] * 4 + [1] + [0] * 7


@pytest.mark.parametrize("choice", ["never", "at_once"])
def test_nothing_awaits_a_digest_of_whoever_wants_none(ada: Member, clock: Clock, choice: str) -> None:
    ada.user.mails = choice
    ada.user.save()
    assert not tell(ada).awaits_digest
    assert tick(clock, MORNING) == []


def test_mails_at_once_go_to_those_only_who_chose_them(
    ada: Member, django_capture_on_commit_callbacks: Any, clock: Clock
) -> None:
    sent = {}
    for choice in User.Mails.values:
        ada.user.mails = choice
        with django_capture_on_commit_callbacks(execute=True):
            tell(ada)
        sent[choice], mail.outbox = len(mail.outbox), []
    assert sent == {"at_once": 1, "daily": 0, "weekly": 0, "never": 0}


def test_what_waited_when_somebody_chose_mails_at_once_is_not_lost(ada: Member, clock: Clock) -> None:
    tell(ada)
    User.objects.update(mails="at_once")
    assert len(tick(clock, MORNING)) == 1


def test_what_was_read_and_what_is_of_a_project_one_has_left_is_not_mentioned(ada: Member, clock: Clock) -> None:
    tell(ada)
    Notification.objects.update(read_at=NOW)
    left = make_member(make_project())
    columns = {"verb": "accepted", "created_at": NOW, "awaits_digest": True}
    Notification.objects.create(user=ada.user, project=left.project, **columns)
    assert tick(clock, MORNING) == []


def test_a_switched_off_account_and_one_without_an_address_get_none(ada: Member, clock: Clock) -> None:
    tell(ada)
    for columns in ({"is_active": False}, {"is_active": True, "email": ""}):
        User.objects.update(**columns)
        assert tick(clock, MORNING) == []


def test_it_speaks_the_persons_language_and_says_nothing_confidential(ada: Member, clock: Clock) -> None:
    User.objects.update(language="zh-hans")
    reviewer = User.objects.create_user("rui", display_name="Rui the reviewer")
    tell(ada, by=reviewer, note="Secret comment", key="secret-key", title="Secret title")
    (letter,) = tick(clock, MORNING)
    assert "退回" in letter.body
    text = f"{letter.subject}{letter.body}".lower()
    assert not [word for word in ("secret", "rui the", "moons") if word in text]


def test_votes_of_others_are_told_as_in_the_inbox(ada: Member, clock: Clock) -> None:
    voter = Member.objects.create(project=make_project(kind_slug="preference"), user=ada.user, role="annotator")
    Notification.objects.create(
        user=ada.user, project=voter.project, verb="accepted", created_at=NOW, awaits_digest=True
    )
    (letter,) = tick(clock, MORNING)
    assert "all votes are in: 1" in letter.body


# --- kills and faults -----------------------------------------------------------------------------------------------
@pytest.fixture
def acts(monkeypatch: pytest.MonkeyPatch) -> list[BaseException | None]:
    """What happens at each sending before the mail leaves; after them all goes well."""
    happenings: list[BaseException | None] = []
    send = EmailBackend.send_messages

    def act(self: EmailBackend, messages: Any) -> Any:
        if happenings and (fault := happenings.pop(0)):
            raise fault
        return send(self, messages)

    monkeypatch.setattr(EmailBackend, "send_messages", act)
    return happenings


def test_a_worker_killed_before_it_sent_loses_nothing(ada: Member, clock: Clock, acts: list[Any]) -> None:
    tell(ada)
    acts.append(SystemExit())
    with pytest.raises(SystemExit):
        tick(clock, MORNING)
    assert tick(clock, MORNING + timedelta(seconds=30)) == []  # the lease of the killed one
    assert len(tick(clock, MORNING + timedelta(minutes=3))) == 1
    assert tick(clock, MORNING + timedelta(hours=3)) == []


def test_a_mail_that_left_right_before_a_kill_is_known_by_its_id(
    ada: Member, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(ada)
    with monkeypatch.context() as patch:
        patch.setattr(Notification.objects, "filter", _killed(Notification.objects.filter))
        with pytest.raises(SystemExit):
            tick(clock, MORNING)
    (again,) = tick(clock, MORNING + timedelta(minutes=3))
    first = mail.outbox[0]
    assert first.extra_headers["Message-ID"] == again.extra_headers["Message-ID"]
    assert first.body == again.body
    assert tick(clock, MORNING + timedelta(hours=3)) == []


def _killed(select: Any) -> Any:
    """Ends the process where the mentioned rows are to be marked."""

    def filtered(*conditions: Any, **named: Any) -> Any:
        if "pk__in" in named:
            raise SystemExit
        return select(*conditions, **named)

    return filtered


def test_a_worker_that_slept_until_another_one_sent_it_sends_nothing(
    ada: Member, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(ada)
    clock.now = MORNING
    digests.plan()
    sleeper = digests.leases.claim(Digest.objects.get().pk)
    assert sleeper is not None
    assert len(tick(clock, MORNING + timedelta(minutes=3))) == 1
    monkeypatch.setattr(digests, "_awaiting", Notification.objects.all)  # as it read them before it slept
    with pytest.raises(LeaseLost):
        list(digests.parts(sleeper))
    assert len(mail.outbox) == 1


def test_two_clocks_plan_one_digest(ada: Member, clock: Clock) -> None:
    tell(ada)
    clock.now = MORNING
    Digest.objects.create(user=ada.user, period=MORNING)
    digests.plan()
    assert Digest.objects.count() == 1


def test_a_mail_server_that_is_down_is_asked_again_later(ada: Member, clock: Clock, acts: list[Any]) -> None:
    tell(ada)
    acts += [SMTPServerDisconnected("gone"), SMTPServerDisconnected("gone")]
    assert tick(clock, MORNING) == []
    assert tick(clock, MORNING + timedelta(seconds=50)) == []
    assert tick(clock, MORNING + timedelta(minutes=2)) == []
    assert tick(clock, MORNING + timedelta(minutes=10)) == []
    assert len(tick(clock, MORNING + timedelta(minutes=13))) == 1


def test_one_worker_finds_out_for_all_that_the_mail_server_is_down(ada: Member, clock: Clock, acts: list[Any]) -> None:
    for number in range(3):
        other = make_member(ada.project)
        other.user.mails, other.user.email = "daily", f"other-{number}@example.org"
        other.user.save()
        tell(other)
    acts += [TimeoutError("frozen")] * 3
    assert tick(clock, MORNING) == []
    assert len(acts) == 2


def test_after_many_refusals_the_next_digest_mentions_it(ada: Member, clock: Clock, acts: list[Any]) -> None:
    tell(ada)
    acts += [SMTPServerDisconnected("gone")] * (len(digests.WAITS) + 1)
    sent = [len(tick(clock, MORNING + timedelta(hours=hour))) for hour in range(0, 60, 4)]
    assert (sum(sent), acts) == (1, [])
    assert [digest.lines for digest in Digest.objects.all()] == [0, 1]
    assert not Notification.objects.get().awaits_digest


def test_a_clock_ahead_of_its_time_delays_nothing(ada: Member, clock: Clock) -> None:
    tell(ada)
    year = timedelta(days=365)
    assert len(tick(clock, MORNING + year)) == 1
    tell(ada)
    assert len(tick(clock, MORNING)) == 1


def test_digests_are_forgotten_after_a_month_and_their_lines_not_sent_again(ada: Member, clock: Clock) -> None:
    tell(ada)
    assert len(tick(clock, MORNING)) == 1
    assert tick(clock, MORNING + timedelta(days=31)) == []
    assert not Digest.objects.exists()
    assert tick(clock, MORNING + timedelta(days=32)) == []


# --- the link that ends mails ---------------------------------------------------------------------------------------
def _stop(letter: Any) -> str:
    header = letter.extra_headers["List-Unsubscribe"]
    assert header.strip("<>") in letter.body
    return str(header.strip("<>").removeprefix("https://touchstone.example.org"))


@pytest.fixture
def link(ada: Member, clock: Clock) -> str:
    tell(ada)
    return _stop(tick(clock, MORNING)[0])


def test_the_link_asks_and_then_ends_mails_without_signing_in(ada: Member, link: str) -> None:
    public = Client()
    page = public.get(link).content.decode()
    assert "Send no more mails about notifications to ada@example.org?" in page
    assert User.objects.get(pk=ada.user_id).mails == "daily"
    assert "gets no more mails" in public.post(link).content.decode()
    assert User.objects.get(pk=ada.user_id).mails == "never"
    assert "gets no more mails" in public.get(link).content.decode()


def test_a_mail_program_ends_mails_with_one_request(ada: Member, link: str) -> None:
    program = Client(enforce_csrf_checks=True)
    assert program.post(link, {"List-Unsubscribe": "One-Click"}).status_code == 200
    assert User.objects.get(pk=ada.user_id).mails == "never"


def test_links_that_are_not_ours_or_of_an_earlier_address_end_nothing(ada: Member, link: str) -> None:
    other = make_member(ada.project).user
    _pk, _colon, mark = mails.stop_token(ada.user).partition(":")
    for token in (f"{other.pk}:{mark}", f"{ada.user_id}:x", f"{ada.user_id}", "x:y", "9" * 30):
        assert Client().post(f"/mails/stop/{token}/").status_code == 404
    User.objects.filter(pk=ada.user_id).update(email="new@example.org")
    assert Client().post(link).status_code == 404
    assert set(User.objects.values_list("mails", flat=True)) == {"daily", "at_once"}


def test_a_mail_at_once_has_the_link_too(ada: Member, django_capture_on_commit_callbacks: Any) -> None:
    ada.user.mails = "at_once"
    with django_capture_on_commit_callbacks(execute=True):
        tell(ada)
    assert mails.who_stops(_stop(mail.outbox[0]).split("/")[-2]) == ada.user
