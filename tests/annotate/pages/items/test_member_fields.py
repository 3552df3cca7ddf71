"""In a large project people are chosen by their user names: in filters, in bulk actions, for samples."""

import pytest
from django.test import Client

from annotate.items import member_fields
from annotate.models import Slot
from tests.support.pages import html_of, said
from tests.support.reviews import Case

pytestmark = pytest.mark.django_db
LIST, NAMES = "/p/fb/items/", "/p/fb/items/people/"


@pytest.fixture
def large(case: Case, monkeypatch: pytest.MonkeyPatch) -> Case:
    """A project with more members than a list offers. The annotator is shown under another name."""
    monkeypatch.setattr(member_fields, "FEW", 2)
    case.annotator.display_name = "Ana Lee"
    case.annotator.save()
    return case


def names(client: Client, text: str) -> str:
    return said(client.get(NAMES, {"held": text}).content.decode())


def test_a_small_project_has_a_list(lead: Client, case: Case) -> None:
    assert f'<option value="{case.annotator.pk}">' in html_of(lead, LIST)
    assert "<datalist" not in html_of(lead, LIST)


@pytest.mark.parametrize("by_name", [True, False])
def test_a_filter_takes_a_user_name_and_the_number_in_a_link(lead: Client, large: Case, by_name: bool) -> None:
    large.written(large.item("theirs"))
    large.item("nobodys")
    annotator = large.annotator
    html = html_of(lead, LIST, data={"by": annotator.username if by_name else str(annotator.pk)})
    assert ("theirs" in html, "nobodys" in html) == (True, False)
    assert f'<option value="{annotator.pk}">' not in html
    assert f'name="by" value="{annotator.username}"' in html
    assert "Submitted by Ana Lee" in said(html)


def test_words_stay_beside_the_names(lead: Client, large: Case) -> None:
    large.written(large.item("theirs"))
    large.item("nobodys")
    html = html_of(lead, LIST, data={"by": "anyone"})
    assert ("theirs" in html, "nobodys" in html) == (True, False)
    assert '<option value="overdue">expired</option>' in html


def test_nobody_of_that_name_is_told_so_and_nothing_is_listed(lead: Client, large: Case) -> None:
    large.item("nobodys")
    html = html_of(lead, LIST, status=422, data={"held": large.stranger.username})
    assert f"No member has the user name “{large.stranger.username}”" in said(html)
    assert "nobodys" not in html


def test_names_are_suggested_from_the_project_alone(lead: Client, large: Case) -> None:
    assert names(lead, "ana l") == "Ana Lee"
    assert f'value="{large.annotator.username}"' in lead.get(NAMES, {"to": "ana"}).content.decode()
    assert names(lead, large.stranger.username) == ""
    assert names(lead, "") == ""


def test_work_is_reserved_by_user_name(lead: Client, large: Case) -> None:
    item = large.item()
    asked = {"verb": "assign", "item": item.pk, "filter": f"by={large.reviewer.username}"}
    assert "<datalist" in lead.post("/p/fb/items/bulk/", asked).content.decode()
    refused = lead.post("/p/fb/items/bulk/", asked | {"sure": "1", "to": large.viewer.username})
    assert "No member has the user name" in refused.content.decode()
    lead.post("/p/fb/items/bulk/", asked | {"sure": "1", "to": large.annotator.username})
    assert Slot.objects.get(item=item).reserved_for == large.annotator


def test_all_that_match_a_user_name_are_changed_and_no_others(lead: Client, large: Case) -> None:
    theirs, nobodys = large.item("theirs"), large.item("nobodys")
    large.written(theirs)
    chosen = {"scope": "all", "filter": f"by={large.annotator.username}"}
    lead.post("/p/fb/items/bulk/", chosen | {"verb": "drop", "sure": "1", "reason": "other"})
    theirs.refresh_from_db()
    nobodys.refresh_from_db()
    assert (theirs.state, nobodys.state) == ("dropped", "ready")


def test_a_sample_takes_the_name_of_its_author(lead: Client, large: Case) -> None:
    assert "<datalist" in html_of(lead, "/p/fb/samples/")
    plan = {"tolerated": "50", "risk": "35", "allowed": "0"}
    html = html_of(lead, "/p/fb/samples/", status=200, data=plan | {"author": large.annotator.username})
    assert f'value="{large.annotator.username}"' in html
    html_of(lead, "/p/fb/samples/", status=422, data=plan | {"author": "nobody"})
