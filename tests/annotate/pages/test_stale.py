import pytest
from django.test import Client

from annotate.chores import reopen_stale
from annotate.guidelines import reopen
from annotate.items import keyset
from annotate.models import Annotation, Item, Reopening
from tests.support.guidelines import accepted, new_version
from tests.support.pages import following, text_of
from tests.support.reviews import Case

pytestmark = pytest.mark.django_db
LIST, REOPEN = "/p/fb/guidelines/stale/", "/p/fb/guidelines/stale/reopen/"


@pytest.fixture
def changed(case: Case) -> Case:
    accepted(case, "k1", group="Coding")
    accepted(case, "k2", group="Reasoning")
    new_version(case.project, "Be kinder.", by=case.lead)
    return case


def test_the_list_says_what_is_stale_why_and_what_it_costs(lead: Client, changed: Case) -> None:
    text = text_of(lead.get(LIST))
    assert "Items made stale by version 2" in text
    assert "k1" in text
    assert "k2" in text
    assert "n = 2, too few" in text


def test_many_minutes_are_said_in_hours(lead: Client, changed: Case) -> None:
    # two items of 50 minutes of writing and 8 of review each
    for stage, minutes in (("annotate", 50), ("review", 8)):
        Annotation.objects.filter(slot__stage=stage).update(active_seconds=60 * minutes)
    assert "1 h 56 min" in text_of(lead.get(LIST))


def test_the_guidelines_lead_to_it(lead: Client, changed: Case) -> None:
    page = lead.get("/p/fb/guidelines/").content.decode()
    assert "2 accepted items are older than a change to their guideline section." in page
    assert f'href="{LIST}"' in page
    assert LIST not in lead.get("/p/fb/guidelines/?version=1").content.decode()


def test_others_do_not_see_it(client: Client, changed: Case) -> None:
    for person, status in ((changed.reviewer, 403), (changed.annotator, 403), (changed.stranger, 404)):
        client.force_login(person)
        assert client.get(LIST).status_code == status
        assert client.post(REOPEN, {"scope": "all", "sure": "1", "version": "2"}).status_code == status
    assert LIST not in client.get("/p/fb/guidelines/").content.decode()
    assert not Reopening.objects.exists()


def test_the_list_is_narrowed(lead: Client, changed: Case) -> None:
    page = lead.get(LIST + "?group=Coding").content.decode()
    assert ">k1</a>" in page
    assert ">k2</a>" not in page


@pytest.mark.parametrize("query", ["group=None", "version=x", "state=dropped", "section=nowhere", "q=" + "x" * 300])
def test_a_filter_that_cannot_be_read_is_said(lead: Client, changed: Case, query: str) -> None:
    assert lead.get(f"{LIST}?{query}").status_code == 422
    form = {"filter": query, "scope": "all", "sure": "1", "version": "2"}
    assert lead.post(REOPEN, form).status_code == 422
    assert not Reopening.objects.exists()


def test_pages_follow_each_other(lead: Client, changed: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keyset.page, "__kwdefaults__", {**keyset.page.__kwdefaults__, "size": 1})
    first = lead.get(LIST).content.decode()
    second = lead.get(LIST + following(first, "next").removeprefix(LIST)).content.decode()
    assert ">k1</a>" in first
    assert ">k2</a>" in second


def test_what_is_meant_is_said_before_it_is_done(lead: Client, changed: Case) -> None:
    answer = lead.post(REOPEN, {"scope": "ticked", "item": [Item.objects.get(key="k1").pk]})
    assert "Reopen 1 item" in text_of(answer)
    assert Item.objects.filter(state="accepted").count() == 2


def test_only_the_ticked_items_are_reopened(lead: Client, changed: Case) -> None:
    item = Item.objects.get(key="k1")
    form = {"scope": "ticked", "item": [item.pk], "sure": "1", "version": "2", "note": "Kinder."}
    answer = lead.post(REOPEN, form, follow=True)
    assert "1 item reopened" in text_of(answer)
    assert dict(Item.objects.values_list("key", "state")) == {"k1": "ready", "k2": "accepted"}


def test_nothing_ticked_is_said(lead: Client, changed: Case) -> None:
    answer = lead.post(REOPEN, {"scope": "ticked", "sure": "1", "version": "2"})
    assert answer.status_code == 422
    assert "No items selected." in text_of(answer)


def test_a_version_that_came_meanwhile_asks_again(lead: Client, changed: Case) -> None:
    new_version(changed.project, "Be kindest.", by=changed.lead)
    answer = lead.post(REOPEN, {"scope": "all", "sure": "1", "version": "2"})
    assert "newer version now" in text_of(answer)
    assert not Reopening.objects.exists()


def test_it_is_taken_back_once(lead: Client, changed: Case) -> None:
    lead.post(REOPEN, {"scope": "all", "sure": "1", "version": "2"})
    address = f"/p/fb/guidelines/reopenings/{Reopening.objects.get().pk}/back/"
    assert "2 of them are accepted again" in text_of(lead.post(address, follow=True))
    assert lead.post(address).status_code == 409


def test_a_long_one_says_that_it_goes_on(lead: Client, changed: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reopen, "AT_ONCE", 1)
    monkeypatch.setattr(reopen, "TOGETHER", 1)
    answer = lead.post(REOPEN, {"scope": "all", "sure": "1", "version": "2"}, follow=True)
    assert "This continues in the background" in text_of(answer)
    address = answer.redirect_chain[-1][0]
    reopen_stale.work(Reopening.objects.get().pk)
    part = lead.get(address, headers={"HX-Request": "true"}).content.decode()
    assert part.strip().startswith('<section class="panel" id="reopening"')
    assert "hx-trigger" not in part


def test_a_reopening_of_another_project_is_not_found(lead: Client, changed: Case) -> None:
    assert lead.get("/p/fb/guidelines/reopenings/99/").status_code == 404


def test_a_project_without_guidelines_has_no_list(lead: Client, case: Case) -> None:
    case.project.guidelines.all().delete()
    assert lead.get(LIST).status_code == 404


def test_the_list_asks_the_database_a_fixed_number_of_times(
    lead: Client, changed: Case, django_assert_max_num_queries
) -> None:  # type: ignore[no-untyped-def]
    for number in range(3, 9):
        accepted(changed, f"k{number}")
    new_version(changed.project, "Be kindest.", by=changed.lead)
    with django_assert_max_num_queries(14):
        lead.get(LIST)
