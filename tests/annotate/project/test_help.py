import pytest
from django.test import Client

from annotate.items.queries import ItemFilters, matching
from annotate.models import Annotation, Item, Skip
from annotate.project import overview as overview_help
from annotate.project.overview import ShareEstimate
from annotate.review import decisions
from annotate.review.decisions import Reason
from tests.support.reviews import Case, make_case

pytestmark = pytest.mark.django_db


@pytest.fixture
def case() -> Case:
    return make_case()


def listed(case: Case, **filters: object) -> int:
    return matching(case.project, ItemFilters(purpose="work", **filters)).count()


def reviewed(case: Case, key: str, *, back: bool) -> None:
    review = case.under_review(key)
    if back:
        decisions.send_back(review=review, token=review.slot.token, by=case.reviewer, reasons=[Reason("", "no")])
    else:
        decisions.accept(review=review, token=review.slot.token, by=case.reviewer)


def test_returns_count_items_by_author_and_by_group(case: Case) -> None:
    for key, back in (("a", True), ("b", True), ("c", False)):
        reviewed(case, key, back=back)
    Item.objects.filter(key="a").update(group="Coding")
    rows = overview_help.reviewed(case.project)
    (person,) = overview_help.returned_by_person(rows)
    assert (person.name, person.sent_back) == ("annotator", ShareEstimate(2, 3))
    assert person.sent_back.n == listed(case, reviewed=person.key)
    assert person.sent_back.hits == listed(case, returned=person.key)
    groups = {row.name: row.sent_back for row in overview_help.returned_by_group(rows)}
    assert groups == {"Coding": ShareEstimate(1, 1), "": ShareEstimate(1, 2)}


def test_a_share_of_few_says_so_and_of_none_is_undefined() -> None:
    assert ShareEstimate(1, 9).too_few
    assert not ShareEstimate(1, 10).too_few
    assert ShareEstimate(1, 4).percent == 25
    assert ShareEstimate(0, 0).percent is None
    assert ShareEstimate(0, 0).interval is None


def test_skips_count_items_and_people(case: Case) -> None:
    for key, person in (("a", case.annotator), ("b", case.annotator)):
        Skip.objects.create(item=case.item(key), person=person, reason="broken")
    Skip.objects.create(item=Item.objects.get(key="a"), person=case.reviewer, reason="broken")
    (skipped,) = overview_help.skips(case.project)
    assert (skipped.reason, skipped.label, skipped.items, skipped.people) == ("broken", "Broken", 2, 2)


def test_cost_adds_all_work_on_an_item_and_leaves_out_what_has_no_time(case: Case) -> None:
    for key in ("a", "b", "imported"):
        reviewed(case, key, back=False)
    for key, author, seconds in (("a", 120, 60), ("b", 300, 0), ("imported", 0, 0)):
        written = Annotation.objects.filter(item__key=key)
        written.filter(author=case.annotator).update(active_seconds=author)
        written.filter(author=case.reviewer).update(active_seconds=seconds)
    case.written(case.item("dropped"))
    Annotation.objects.filter(item__key="dropped", author=case.annotator).update(active_seconds=600)
    Item.objects.filter(key="dropped").update(state="dropped", drop_reason="other")
    found = overview_help.cost(case.project, accepted=3)
    # a: (120 + 60) / 60 = 3 minutes, b: 300 / 60 = 5 minutes
    assert (found.mean, found.median, found.n, found.left_out) == (4, 4, 2, 1)
    assert (found.dropped, found.undecided) == (10, 0)
    assert found.n == listed(case, state="accepted", minutes="counted")
    assert found.left_out == listed(case, state="accepted", minutes="none")


def test_cost_of_nothing_is_undefined(case: Case) -> None:
    found = overview_help.cost(case.project, accepted=0)
    assert (found.mean, found.median, found.interval, found.n) == (None, None, None, 0)


def test_returns_and_cost_of_a_large_project_are_those_of_its_latest_decisions(
    case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(overview_help, "LATEST", 2)
    for key, back in (("old", True), ("a", True), ("b", False)):
        reviewed(case, key, back=back)
    Annotation.objects.filter(author=case.annotator).update(active_seconds=60)
    assert overview_help.latest_items(case.project, total=2) is None
    latest = overview_help.latest_items(case.project, total=3)
    assert sorted(Item.objects.filter(pk__in=latest or ()).values_list("key", flat=True)) == ["a", "b"]
    (person,) = overview_help.returned_by_person(overview_help.reviewed(case.project, latest))
    assert person.sent_back == ShareEstimate(1, 2)
    cost = overview_help.cost(case.project, 1, latest)
    assert (cost.n, cost.left_out, cost.undecided) == (1, 0, 1)


def test_the_overview_says_that_only_the_latest_decisions_count(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    for key in ("a", "b"):
        reviewed(case, key, back=False)
    client = Client()
    client.force_login(case.lead)
    page = f"/p/{case.project.slug}/"
    assert "Only the latest" not in client.get(page).text
    monkeypatch.setattr(overview_help, "LATEST", 1)
    assert client.get(page).text.count("Only the latest 1 decisions count.") == 2
