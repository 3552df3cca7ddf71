import re

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from annotate.items import leases, queue
from annotate.models import Item, Notification, Release, Slot
from annotate.project import actions
from annotate.review import decisions
from annotate.review.decisions import Reason
from tests.support.reviews import Case
from tests.support.runs import make_run

pytestmark = pytest.mark.django_db
OVERVIEW = "/p/fb/"


def page(client: Client, user, status: int = 200) -> str:
    client.force_login(user)
    answer = client.get(OVERVIEW)
    assert answer.status_code == status
    return answer.content.decode()


def busy(case: Case) -> Slot:
    """One item accepted, one sent back, one held."""
    right, back = case.under_review("right"), case.under_review("back")
    decisions.accept(review=right, token=right.slot.token, by=case.reviewer)
    decisions.send_back(review=back, token=back.slot.token, by=case.reviewer, reasons=[Reason("", "no")])
    slot = queue.claim(case.open_slot(case.item("held"), "annotate").pk, case.member(case.reviewer))
    assert slot is not None
    return slot


def test_a_stranger_finds_nothing(client: Client, case: Case) -> None:
    page(client, case.stranger, status=404)


def test_an_empty_project_says_what_comes(client: Client, case: Case) -> None:
    assert "No items yet" in page(client, case.lead)


@pytest.mark.parametrize("role", ["reviewer", "annotator", "viewer"])
def test_only_leads_are_given_next_steps(client: Client, case: Case, role: str) -> None:
    assert 'id="next-steps"' not in page(client, getattr(case, role))


def test_a_young_project_lists_its_next_steps_until_the_first_release(client: Client, case: Case) -> None:
    text = page(client, case.lead)
    assert re.search(r'<details[^>]*id="next-steps" open>', text)
    assert "2 of 6 steps done" in text
    for address in (
        "import/",
        "guidelines/edit/",
        "people/",
        "runs/new/?run-purpose=preannotate",
        "releases/",
    ):
        assert re.search(rf'<a class="button[^>]* href="/p/fb/{re.escape(address)}"', text), address
    assert re.search(r'<form action="/p/fb/work/next/" method="post">', text), "one click opens the first item"
    assert 'href="/projects/new/example/?kind=feedback"' in text
    Release.objects.create(project=case.project, version=1)
    text = page(client, case.lead)
    assert "2 of 4 steps done" in text
    assert "goes away with the first" not in text
    assert 'href="/p/fb/runs/new/?run-purpose=answer"' in text


def test_the_steps_of_a_project_that_only_lacks_a_release_are_folded(client: Client, case: Case) -> None:
    busy(case)
    make_run(case.project, purpose="preannotate")
    text = page(client, case.lead)
    assert "5 of 6 steps done" in text
    assert not re.search(r'<details[^>]*id="next-steps" open', text)


def test_a_lead_sees_all_parts(client: Client, case: Case) -> None:
    busy(case)
    text = page(client, case.lead)
    for part in ("moving", "leases", "help", "cost"):
        assert f'id="{part}"' in text


@pytest.mark.parametrize("role", ["reviewer", "viewer", "annotator"])
def test_others_see_nothing_about_people_and_cost(client: Client, case: Case, role: str) -> None:
    busy(case)
    text = page(client, getattr(case, role))
    assert 'id="moving"' in text
    assert 'id="leases"' not in text
    assert 'id="cost"' not in text
    assert "Returned, by person" not in text


def test_an_annotator_is_given_no_links_to_lists(client: Client, case: Case) -> None:
    busy(case)
    assert 'href="/p/fb/items/?' not in page(client, case.annotator)


def test_every_linked_figure_opens_a_list_of_so_many_items(client: Client, case: Case) -> None:
    busy(case)
    text = page(client, case.lead)
    figures = re.findall(r'<a[^>]*href="(/p/fb/items/\?[^"]+)"[^>]*>(\d+)</a>', text)
    assert len(figures) >= 7
    for address, figure in figures:
        listed = client.get(address.replace("&amp;", "&")).content.decode()
        assert listed.count('<a class="row-link num"') == int(figure), address


def test_small_numbers_are_called_too_few(client: Client, case: Case) -> None:
    busy(case)
    assert "n = 2, too few" in page(client, case.lead)


def test_a_paused_project_says_why(client: Client, case: Case) -> None:
    actions.pause(case.project, by=case.lead, reason="New rules on <Monday>")
    assert "New rules on &lt;Monday&gt;" in page(client, case.lead)


def test_the_number_of_queries_does_not_grow(
    client: Client, case: Case, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    busy(case)
    Item.objects.bulk_create(
        Item(project=case.project, key=f"k-{n}", content_hash=f"{n}", facts={}) for n in range(200)
    )
    client.force_login(case.lead)
    with django_assert_num_queries(17):
        client.get(OVERVIEW)


# --- taking a lease back ----------------------------------------------------------------------------------------------
def release(client: Client, user, slot: Slot):
    client.force_login(user)
    return client.post(f"/p/fb/leases/{slot.pk}/release/")


def test_a_lead_puts_a_held_item_back(client: Client, case: Case) -> None:
    slot = busy(case)
    assert release(client, case.lead, slot).status_code == 302
    assert Slot.objects.get(pk=slot.pk).state == "open"
    assert Notification.objects.filter(user=case.reviewer, verb="removed").exists()


def test_what_is_not_held_any_more_is_a_lost_race(client: Client, case: Case) -> None:
    slot = busy(case)
    leases.release(slot, slot.token)
    assert release(client, case.lead, slot).status_code == 409


@pytest.mark.parametrize(
    ("role", "status"), [("reviewer", 403), ("annotator", 403), ("viewer", 403), ("stranger", 404)]
)
def test_nobody_else_takes_leases(client: Client, case: Case, role: str, status: int) -> None:
    slot = busy(case)
    assert release(client, getattr(case, role), slot).status_code == status
    assert Slot.objects.get(pk=slot.pk).state == "held"


def test_a_slot_of_another_project_is_not_found(client: Client, case: Case) -> None:
    slot = busy(case)
    other = type(case.project).objects.create(slug="other", name="Other", kind_slug="feedback")
    other.members.create(user=case.lead, role="lead")
    client.force_login(case.lead)
    assert client.post(f"/p/other/leases/{slot.pk}/release/").status_code == 404
