import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction
from django.db.models import Count
from django.test import override_settings
from django.utils import timezone
from pytest_django import DjangoDbBlocker, Settings

from annotate.errors import Refused
from annotate.models import (
    Annotation,
    Comment,
    Event,
    Guideline,
    Item,
    Member,
    Notification,
    Project,
    Skip,
    Slot,
    User,
)
from annotate.upkeep import demo

pytestmark = pytest.mark.django_db
FIXTURES = Path(__file__).resolve().parents[3] / "fixtures"


@pytest.fixture
def data_folder(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("DEMO_PASSWORD", raising=False)
    settings.DATA_DIR = tmp_path
    return tmp_path


@pytest.fixture
def seeded(data_folder: Path) -> demo.DemoSeed:
    return demo.seed()


def test_four_people_can_sign_in_with_the_printed_password(seeded: demo.DemoSeed) -> None:
    roles = dict(Member.objects.values_list("user__username", "role"))
    assert roles == {"lead": "lead", "ana": "annotator", "bo": "annotator", "rui": "reviewer"}
    assert all(user.check_password(seeded.password) for user in User.objects.all())


def test_a_second_call_changes_nothing_and_tells_the_same_password(seeded: demo.DemoSeed) -> None:
    before = Item.objects.count(), Event.objects.count(), User.objects.get(username="ana").password
    assert demo.seed() == demo.DemoSeed(seeded.password, made=False)
    assert (Item.objects.count(), Event.objects.count(), User.objects.get(username="ana").password) == before


def test_every_installation_draws_its_own_password(seeded: demo.DemoSeed, settings: Settings, tmp_path: Path) -> None:
    assert (tmp_path / "demo-password").stat().st_mode & 0o077 == 0
    settings.DATA_DIR = tmp_path / "other"
    (tmp_path / "other").mkdir()
    assert demo.kept_password() != seeded.password
    assert len(seeded.password) >= 16


def test_the_password_may_be_given(data_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEMO_PASSWORD", "chosen by a person")
    assert demo.seed().password == "chosen by a person"
    assert User.objects.get(username="rui").check_password("chosen by a person")


def test_accounts_of_others_are_left_alone(data_folder: Path) -> None:
    User.objects.create_user("ana", password="her own password")
    with pytest.raises(Refused, match="exist already: ana"):
        demo.seed()
    assert User.objects.get().check_password("her own password")
    assert not Project.objects.exists()


def test_an_interrupted_seed_leaves_nothing(data_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(project: Project) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("annotate.upkeep.demo.replay", broken)
    with pytest.raises(KeyboardInterrupt):
        demo.seed()
    assert not Project.objects.exists()
    assert not User.objects.exists()


@pytest.fixture(scope="class")
def seeded_once(django_db_setup: None, django_db_blocker: DjangoDbBlocker, tmp_path_factory: Any) -> Iterator[None]:
    """One demo for all tests that only look at it."""
    folder = tmp_path_factory.mktemp("data")
    with django_db_blocker.unblock(), override_settings(DATA_DIR=folder), transaction.atomic():
        demo.seed()
        yield
        transaction.set_rollback(True)


@pytest.mark.usefixtures("seeded_once")
class TestWhatThePagesShow:
    def test_items_stand_in_every_state(self) -> None:
        states = dict(Item.objects.values_list("state").annotate(Count("pk")))
        assert states == {"ready": 18, "reviewing": 7, "accepted": 14, "dropped": 1}

    def test_all_tasks_and_both_scenarios_are_there(self) -> None:
        assert Item.objects.values("group").distinct().count() == 8
        scenarios = [facts["bench_type"] for facts in Item.objects.values_list("facts", flat=True)]
        assert (scenarios.count("Error Correction"), scenarios.count("Response Maintenance")) == (24, 16)

    def test_every_item_has_a_suggestion_of_the_drafter(self) -> None:
        suggestions = Annotation.objects.exclude(model="")
        assert set(suggestions.values_list("model", "prompt_version")) == {("drafter-a", "v4")}
        assert suggestions.values("item").distinct().count() == 40
        assert sum(1 for annotation in suggestions if annotation.doubts) >= 5

    def test_one_item_came_back_to_its_author_with_comments_at_its_fields(self) -> None:
        item = Item.objects.get(key="demo-009")
        assert (item.state, item.round) == ("ready", 2)
        assert set(Comment.objects.unresolved().filter(item=item).values_list("field", flat=True)) == {
            "checklist[1]",
            "feedback",
        }
        assert Slot.objects.open().get(item=item).reserved_for == User.objects.get(username="ana")
        assert Notification.objects.filter(item=item, verb="returned", user__username="ana").exists()

    def test_three_people_hold_something_now(self) -> None:
        held = Slot.objects.held().filter(lease_until__gt=timezone.now())
        assert dict(held.values_list("holder__username", "stage")) == {
            "ana": "annotate",
            "bo": "annotate",
            "rui": "review",
        }

    def test_there_are_fixes_a_skip_and_two_versions_of_guidelines(self) -> None:
        assert Annotation.objects.filter(outcome="fixed").count() == 3
        assert Skip.objects.get().person.username == "bo"
        assert set(Guideline.objects.values_list("version", flat=True)) == {1, 2}
        submitted = Annotation.objects.exclude(submitted_at=None).exclude(author=None)
        assert set(submitted.values_list("guideline_version", flat=True)) == {1, 2}

    def test_the_work_spreads_over_two_weeks_and_nothing_is_in_the_future(self) -> None:
        days = {at.date() for at in Event.objects.values_list("at", flat=True)}
        assert len(days) > 9
        assert timezone.now() - timedelta(days=15) < min(Event.objects.values_list("at", flat=True))
        assert not Event.objects.filter(at__gt=timezone.now()).exists()
        assert not Item.objects.filter(changed_at__gt=timezone.now()).exists()

    def test_history_is_told_in_the_order_in_which_it_was_written(self) -> None:
        for item in Item.objects.all():
            times = list(item.events.order_by("id").values_list("at", flat=True))
            assert times == sorted(times), item.key

    def test_only_the_newest_messages_are_unread(self) -> None:
        unread = Notification.objects.filter(read_at=None)
        assert set(unread.values_list("user__username", "verb")) == {
            ("ana", "returned"),
            ("ana", "accepted"),
            ("bo", "accepted"),
            ("lead", "asked"),
        }
        assert unread.count() < Notification.objects.count()

    def test_submissions_carry_the_minutes_they_took(self) -> None:
        seconds = Annotation.objects.exclude(author=None).exclude(submitted_at=None)
        assert not seconds.filter(active_seconds=0).exists()


def test_the_samples_are_half_chinese() -> None:
    rows = [json.loads(line) for line in (FIXTURES / "feedback_demo.jsonl").read_text(encoding="utf-8").splitlines()]
    chinese = [row for row in rows if any("\u4e00" <= char <= "\u9fff" for char in row["user_query"][:20])]
    assert (len(rows), len(chinese)) == (40, 20)
