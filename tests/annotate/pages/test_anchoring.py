import pytest
from django.urls import reverse

from annotate.models import Slot
from tests.support.pages import client_of, html_of, said
from tests.support.people import make_member, make_project
from tests.support.reviews import SUGGESTED, WRITTEN, Case

pytestmark = pytest.mark.django_db
METER, ITEMS = "/p/fb/anchoring/", "/p/fb/anchoring/items/"


@pytest.fixture(autouse=True)
def written(case: Case) -> None:
    for number, (draft, blind) in enumerate([(SUGGESTED, False), (WRITTEN, False), (WRITTEN, True)]):
        item = case.item(f"k-{number}")
        Slot.objects.filter(item=item).update(blind=blind)
        case.written(item, draft)


def test_leads_and_viewers_see_the_meter_and_those_who_answer_do_not(case: Case) -> None:
    for person, status in (
        (case.lead, 200),
        (case.viewer, 200),
        (case.annotator, 403),
        (case.reviewer, 403),
        (case.stranger, 404),
    ):
        for address in (METER, ITEMS + "?field=feedback&arm=shown"):
            assert client_of(person).get(address).status_code == status


def test_the_meter_says_what_stands_behind_it(case: Case) -> None:
    words = said(html_of(client_of(case.lead), METER))
    assert "2 texts with suggestion shown" in words
    assert "1 text with suggestion hidden" in words
    assert "n = 1, too few" in words


def test_a_number_opens_its_texts(case: Case) -> None:
    page = html_of(client_of(case.viewer), METER)
    address = f"{ITEMS}?arm=shown&amp;kept=yes&amp;field=feedback"
    assert f'href="{address}"' in page
    opened = html_of(client_of(case.viewer), address.replace("&amp;", "&"))
    assert reverse("item", args=["fb", case.project.items.get(key="k-0").pk]) in opened
    assert "k-1" not in opened


def test_the_field_is_called_as_people_call_it(case: Case) -> None:
    opened = html_of(client_of(case.viewer), f"{ITEMS}?arm=shown&field=task_type&label=Reasoning")
    assert "<span>Task</span>" in opened
    assert "task_type" not in said(opened)


def test_an_address_that_names_no_number_says_so(case: Case) -> None:
    for query in ("", "?field=feedback&arm=both", "?field=x&arm=shown&start=-1"):
        assert "does not point to a number" in html_of(client_of(case.lead), ITEMS + query, 422)


def test_without_texts_the_page_says_what_is_missing(case: Case) -> None:
    type(case.project).objects.filter(pk=case.project.pk).update(slug="other")
    empty = make_member(make_project(slug="fb"), "lead")
    assert "Nothing to compare yet" in html_of(client_of(empty.user), METER)
