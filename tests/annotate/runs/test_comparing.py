import pytest

from annotate.models import Annotation, Run
from annotate.runs import actions, comparison
from annotate.runs.comparison import ComparedPage, compare, compared_page
from annotate.runs.execution import work
from tests.annotate.runs.conftest import Reader
from tests.support.faulty_model import FaultyModel
from tests.support.people import make_item, make_project
from tests.support.runs import make_jobs, make_run
from tests.support.small_purpose import make_endpoint, planned

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("at_once")]


def test_two_runs_are_compared_item_by_item(reader: Reader, model: FaultyModel) -> None:
    endpoint = make_endpoint(model.base_url)
    one = planned(endpoint, items=5)
    actions.start(one, None, ring=False)
    work(one)
    items = list(one.jobs.order_by("pk").values_list("item_id", flat=True))
    model.chooses = lambda question, _times: "bad_request" if f"item/{items[0]} " in question else "good"
    two = planned(endpoint, items=0, project=one.project, limit=4)
    actions.start(two, None, ring=False)
    work(two)
    Annotation.objects.filter(run=two, item=items[1]).update(draft={"words": ["sun"]})
    found = compare(one, two)
    assert (found.equal, found.differing, found.only_left, found.only_right, found.neither) == (2, 1, 2, 0, 0)
    assert found.total == 5
    page = compared_page(one, two, differing=False)
    assert [each.item.pk for each in page.rows] == items
    assert [each.equal for each in page.rows] == [False, False, True, True, False]
    assert (page.rows[1].left, page.rows[1].right) == ({"words": ["moon"]}, {"words": ["sun"]})
    assert [each.item.pk for each in compared_page(one, two, differing=True).rows] == [items[0], items[1], items[4]]


@pytest.fixture
def pair() -> tuple[Run, Run]:
    """Two runs over 30 items, of which every third came out differently."""
    project = make_project()
    made = [make_item(project, key=f"k-{number:02}") for number in range(30)]
    run, other = (make_run(project, state="finished") for _ in range(2))
    for turn, each in enumerate((run, other)):
        make_jobs(each, items=made, done=30)
        for number, item in enumerate(made):
            word = "moon" if number % 3 else ("sun", "star")[turn]
            Annotation.objects.create(run=each, item=item, model="m", draft={"words": [word]})
    return run, other


def keys(page: ComparedPage) -> list[int]:
    return [int(row.item.key.removeprefix("k-")) for row in page.rows]


@pytest.mark.parametrize(("differing", "expected"), [(False, list(range(30))), (True, list(range(0, 30, 3)))])
def test_pages_lead_through_all_items_and_back(pair: tuple[Run, Run], differing: bool, expected: list[int]) -> None:
    forth, page = [], compared_page(*pair, differing=differing, size=4)
    assert page.previous is None
    while True:
        forth.append(keys(page))
        if page.next is None:
            break
        page = compared_page(*pair, differing=differing, after=page.next, size=4)
    assert [key for part in forth for key in part] == expected
    back = [keys(page)]
    while page.previous is not None:
        page = compared_page(*pair, differing=differing, before=page.previous, size=4)
        back.append(keys(page))
    assert back[::-1] == forth


def test_a_page_is_looked_for_in_so_many_items_and_then_offers_to_go_on(
    pair: tuple[Run, Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Runs that hardly differ: nobody waits for a hundred thousand items to be read."""
    monkeypatch.setattr(comparison, "CHUNK", 2)
    monkeypatch.setattr(comparison, "LOOKED_AT", 2)
    first = compared_page(*pair, differing=True)
    assert (keys(first), first.looked_at_all) == ([0], False)
    assert first.next is not None
    second = compared_page(*pair, differing=True, after=first.next)
    assert (keys(second), second.looked_at_all) == ([3], False)
    assert second.previous is not None
    assert keys(compared_page(*pair, differing=True, before=second.previous)) == []


def test_only_few_jobs_are_compared_while_somebody_waits(
    pair: tuple[Run, Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert comparison.is_quick(*pair)
    monkeypatch.setattr(comparison, "QUICK", 59)
    assert not comparison.is_quick(*pair)
