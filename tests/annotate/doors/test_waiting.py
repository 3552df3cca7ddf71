from datetime import timedelta

import pytest
from django.utils import timezone

from annotate.doors import waiting
from annotate.doors.waiting import Waiting, shown, waiting_for
from annotate.items import leases
from annotate.models import Annotation, Member, Notification, Project, Slot
from annotate.review import claim
from tests.support.desks import colleague
from tests.support.pages import html_of, nav_of, said
from tests.support.people import make_item, make_project
from tests.support.reviews import make_case

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return make_project(slug="p")


def test_an_annotator_sees_what_they_can_take_and_what_came_back(project: Project) -> None:
    ana, _bo = colleague(project, "annotator"), colleague(project, "annotator")
    items = [make_item(project, key=f"i{n}") for n in range(4)]
    reserved_slots = Slot.objects.filter(item=items[0])
    reserved_slots.update(reserved_for=ana.member.user, reserved_until=timezone.now() + timedelta(days=1))
    Slot.objects.filter(item=items[1]).update(reserved_for=_bo.member.user)
    Notification.objects.create(user=ana.member.user, project=project, verb="returned")
    assert waiting_for(ana.member) == Waiting(unread=1, to_annotate=3, returned=1)


def test_a_draft_counts_once_its_author_no_longer_holds_the_item(project: Project) -> None:
    ana = colleague(project, "annotator")
    make_item(project, key="i")
    slot = ana.opened()
    Annotation.objects.filter(slot=slot).update(revision=1)
    assert waiting_for(ana.member).drafts == 0
    assert slot.token is not None
    leases.release(slot, slot.token)
    assert waiting_for(ana.member).drafts == 1


def test_a_reviewer_sees_as_many_reviews_as_their_list_has() -> None:
    case = make_case("p")
    for key in ("k-1", "k-2", "k-3"):
        case.written(case.item(key))
    reviewer, author = case.member(case.reviewer), case.member(case.annotator)
    assert waiting_for(reviewer).to_review == claim.counts(reviewer, claim.page(reviewer, "done"))["pending"] == 3
    assert waiting_for(author).to_review == 0


def test_whoever_is_paused_or_is_handed_only_some_items_is_told_no_wrong_number(project: Project) -> None:
    ana = colleague(project, "annotator").member
    make_item(project, key="i")
    ana.paused_at = timezone.now()
    assert waiting_for(ana).to_annotate == 0
    ana.paused_at, ana.languages = None, ["zh"]
    assert waiting_for(ana).to_annotate is None


def test_a_viewer_has_only_notifications(project: Project) -> None:
    viewer = colleague(project, "viewer").member
    Notification.objects.create(user=viewer.user, project=project, verb="released")
    assert waiting_for(viewer) == Waiting(unread=1)


def test_counting_stops(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    ana = colleague(project, "annotator").member
    for n in range(waiting.COUNTED_AT_MOST + 1):
        make_item(project, key=f"i{n}")
    assert waiting_for(ana).to_annotate == waiting.COUNTED_AT_MOST
    assert [shown(count) for count in (None, 0, 7, waiting.COUNTED_AT_MOST)] == ["", "", "7", "99+"]


def test_the_frame_counts_in_one_statement(project: Project, django_assert_num_queries: object) -> None:
    members = Member.objects.select_related("project__readiness")  # as pages load their member
    rui = members.get(pk=colleague(project, "reviewer").member.pk)
    with django_assert_num_queries(1):  # type: ignore[operator]
        waiting_for(rui)


def test_the_door_and_its_row_show_what_waits(project: Project) -> None:
    ana = colleague(project, "annotator")
    make_item(project, key="i")
    html = html_of(ana.client, "/p/p/drafts/")
    assert "Work 1 waiting" in said(nav_of(html, "project-doors"))
    assert "Annotate 1 waiting" in said(nav_of(html, "door-row"))
    assert "My drafts My pace" in said(nav_of(html, "door-row"))
