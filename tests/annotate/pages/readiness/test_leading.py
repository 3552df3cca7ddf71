from typing import Any

import pytest
from django.urls import reverse

from annotate.models import Annotation, Item, Member, Notification, Readiness
from annotate.readiness import pages
from tests.support.checks import WRONG, asking, check, fresh, work_through
from tests.support.desks import Worker, colleague
from tests.support.pages import text_of
from tests.support.people import DRAFT, make_item, make_member, make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def lead() -> Worker:
    project = asking(calibration_each=1, check_share=1, window=2, floor="0.8")
    check(project)
    check(project, "gold")
    make_item(project, suggestion=DRAFT)
    return colleague(project, "lead")


def person(lead: Worker, member: Member) -> Any:
    return lead.client.get(reverse("readiness_person", args=[lead.project.slug, member.pk]))


def decide(lead: Worker, member: Member, verb: str) -> Any:
    return lead.client.post(reverse("readiness_decide", args=[lead.project.slug, member.pk]), {"verb": verb})


def test_the_page_says_who_is_ready_and_how_checks_went(lead: Worker) -> None:
    ada, bo = make_member(lead.project), make_member(lead.project)
    work_through(ada, 1)
    work_through(ada, 1, WRONG)
    told = text_of(lead.get("readiness"))
    assert (
        f"{ada.user} Annotator Passed 5 of 5 fields, attempt 1 3 of 5 fields in 1 check below the minimum open" in told
    )
    assert f"{bo.user} Annotator not started none closed" in told


def test_the_page_takes_as_many_queries_for_many_people(lead: Worker, django_assert_max_num_queries: Any) -> None:
    for _ in range(6):
        work_through(make_member(lead.project), 2, DRAFT)
    with django_assert_max_num_queries(16):
        lead.get("readiness")


def test_one_person_is_shown_field_by_field(lead: Worker) -> None:
    ada = make_member(lead.project)
    work_through(ada, 1, WRONG)
    told = text_of(person(lead, ada))
    assert "They wrote Logical Error Expected Factual Error" in told
    assert "The queue is closed to them" in told


def test_a_lead_lets_in_asks_again_and_lets_go_on(lead: Worker) -> None:
    ada = make_member(lead.project)
    assert decide(lead, ada, "let_in").status_code == 302
    assert fresh(ada).calibrated_at is not None
    assert decide(lead, ada, "let_in").status_code == 409
    decide(lead, ada, "again")
    assert fresh(ada).calibrated_at is None
    Member.objects.filter(pk=ada.pk).update(paused_at="2026-01-01T00:00Z", paused_reason="r")
    decide(lead, ada, "go_on")
    assert (fresh(ada).paused_at, fresh(ada).paused_reason) == (None, "")
    assert Notification.objects.filter(user=ada.user, verb="resumed").exists()
    before = Member.objects.values().get(pk=ada.pk)
    assert decide(lead, ada, "anything").status_code == 302
    assert Member.objects.values().get(pk=ada.pk) == before


def test_settings_are_made_at_the_first_saving(lead: Worker) -> None:
    other = colleague(make_project(), "lead")
    said = {"calibration_each": 2, "calibration_by": "review", "passes_at": "70", "check_share": "10"}
    address = other.address("readiness_settings")
    assert other.client.get(address).status_code == 200
    assert not Readiness.objects.filter(project=other.project).exists()
    assert other.client.post(address, said | {"window": 5, "floor": "60"}).status_code == 302
    stored = Readiness.objects.get(project=other.project)
    assert (stored.calibration_each, stored.calibration_by, stored.window) == (2, "review", 5)
    assert [float(share) for share in (stored.passes_at, stored.check_share, stored.floor)] == [0.7, 0.1, 0.6]


def test_the_preview_names_who_will_be_paused_and_stores_nothing(lead: Worker) -> None:
    ada = make_member(lead.project, calibrated_at=None)
    Readiness.objects.update(calibration_each=0)
    said = {"calibration_each": 1, "calibration_by": "expected", "passes_at": "80", "check_share": "0"}
    address = lead.address("readiness_settings")
    for headers in ({}, {"HX-Request": "true"}):
        answer = lead.client.post(address, said | {"window": 2, "floor": "0", "preview": "1"}, headers=headers)
        told = text_of(answer)
        assert answer.status_code == 200
        assert f"1 person will be paused until they pass the calibration: {ada.user}" in told
    assert "Save" not in told
    assert Readiness.objects.get().calibration_each == 0


@pytest.mark.parametrize(
    "wrong", [{"passes_at": "100.1"}, {"window": 0}, {"check_share": "-1"}, {"calibration_each": 51}]
)
def test_settings_that_make_no_sense_are_refused_and_change_nothing(lead: Worker, wrong: dict[str, Any]) -> None:
    said = {
        "calibration_each": 2,
        "calibration_by": "expected",
        "passes_at": 100,
        "check_share": 0,
        "window": 1,
        "floor": 0,
    }
    before = Readiness.objects.values().get()
    answered = lead.client.post(lead.address("readiness_settings"), said | {"floor": 0} | wrong)
    assert answered.status_code == 422
    assert Readiness.objects.values().get() == before


class TestMarking:
    def mark(self, lead: Worker, **said: Any) -> Any:
        return lead.client.post(lead.address("readiness_mark"), said, follow=True)

    def test_accepted_items_are_marked_and_others_say_why_not(self, lead: Worker) -> None:
        done, open_ = check(lead.project, "work"), make_item(lead.project)
        told = text_of(self.mark(lead, keys=f"{done.key}\n{open_.key}\nnowhere", purpose="gold"))
        done.refresh_from_db()
        open_.refresh_from_db()
        assert (done.purpose, open_.purpose) == ("gold", "work")
        assert "1 item is marked." in told
        assert f"{open_.key}: accept its answer first" in told
        assert "nowhere: there is no such item" in told

    def test_chosen_fields_alone_are_compared(self, lead: Worker) -> None:
        """WRONG differs in two fields; only one of the two that count is among them."""
        item = Item.objects.get(purpose="calibration")
        self.mark(lead, keys=item.key, purpose="calibration", fields_that_count=["error_type", "checklist"])
        item.refresh_from_db()
        assert item.base is not None
        assert (item.base.rater, item.base.draft) == ("expected", DRAFT)
        ada = make_member(lead.project)
        work_through(ada, 1, WRONG)
        assert "1 of 2 fields, attempt 1" in text_of(lead.get("readiness"))
        assert Annotation.objects.filter(item=item, rater="import").exists()  # what was accepted stays as it is

    def test_an_answer_that_says_nothing_in_the_chosen_fields_is_no_check(self, lead: Worker) -> None:
        item = Item.objects.get(purpose="calibration")
        told = text_of(self.mark(lead, keys=item.key, purpose="attention", fields_that_count=["suitable"]))
        assert f"{item.key}: its accepted answer is empty in the fields that count" in told
        item.refresh_from_db()
        assert item.purpose == "calibration"

    def test_of_many_that_are_not_marked_the_first_say_why_and_the_rest_are_counted(self, lead: Worker) -> None:
        told = text_of(self.mark(lead, keys="\n".join(f"nowhere-{number}" for number in range(13)), purpose="gold"))
        assert told.count("there is no such item") == 10
        assert "3 more items were not marked." in told

    def test_without_keys_it_is_refused(self, lead: Worker) -> None:
        assert self.mark(lead, keys=" ", purpose="gold").status_code == 422

    def test_the_form_is_filled_in_from_the_page_of_an_item(self, lead: Worker) -> None:
        item = check(lead.project, "work")
        page = lead.client.get(reverse("item", args=[lead.project.slug, item.pk])).content.decode()
        link = f"{lead.address('readiness')}?key={item.key}#mark"
        assert link in page
        assert f">\n{item.key}</textarea>" in lead.client.get(link).content.decode()

    def test_checks_that_people_could_tell_from_work_are_counted(self, lead: Worker) -> None:
        Annotation.objects.filter(item__purpose="gold").exclude(model="").delete()
        assert "1 check has no suggestion, but work items do" in text_of(lead.get("readiness"))


def test_a_file_says_what_its_items_are_for(lead: Worker, tmp_path: Any) -> None:
    import json

    from django.core.management import call_command

    from tests.support.reviews import FACTS, SUGGESTED

    path = tmp_path / "checks.jsonl"
    query = {"user_query": FACTS["user_query"] + "!"}
    rows = [
        {**FACTS, "key": "g-1", "purpose": "gold", "final": SUGGESTED},
        {**FACTS, **query, "key": "g-2", "purpose": "gold"},
        {**FACTS, **query, "key": "g-3", "purpose": "golden", "final": SUGGESTED},
    ]
    path.write_text("\n".join(map(json.dumps, rows)))
    call_command("import_items", lead.project.slug, str(path))
    assert list(Item.objects.filter(key__startswith="g-").values_list("key", "purpose", "state")) == [
        ("g-1", "gold", "accepted")
    ]


def test_many_people_are_on_several_pages(lead: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    people = [make_member(lead.project) for _ in range(3)]
    monkeypatch.setattr(pages, "MEMBERS_PER_PAGE", 2)
    page = lead.client.get(reverse("readiness", args=[lead.project.slug]), {"page": 2})
    assert [row.member for row in page.context["people"]] == people[2:]
    assert 'href="?page=1" rel="prev"' in page.content.decode()
