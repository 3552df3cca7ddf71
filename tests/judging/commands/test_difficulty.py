import pytest
from django.core.cache import caches

from annotate.models import Item
from tests.support.files import command
from tests.support.judged import CORRECTION, a_judge, answer_of, decided_item, verdict_on
from tests.support.people import make_project

pytestmark = pytest.mark.django_db
ASKED = ("difficulty", "fb", "--run", "judge-m", "--authors", "a, b")


@pytest.fixture(autouse=True)
def items() -> list[Item]:
    caches["local"].clear()
    project = make_project(slug="fb")
    items = [decided_item(project, CORRECTION, task_type=task) for task in ("Coding", "Reasoning")]
    for item, met in zip(items, [(1, 1), (1, 0)], strict=True):
        for author in ("a", "b"):
            verdict_on(answer_of(item, author), a_judge(project), met)
    return items


def test_the_json_is_the_contracts_and_nothing_is_dropped_unasked(items: list[Item]) -> None:
    code, report, _err = command(*ASKED)
    assert code == 0
    assert (report["items"], report["kept"], report["dropped"], report["applied"]) == (2, 1, 1, False)
    assert report["by_task"] == {"Coding": {"before": 1, "after": 0}, "Reasoning": {"before": 1, "after": 1}}
    assert report["sample"] == [items[0].key]
    assert set(Item.objects.values_list("state", flat=True)) == {"accepted"}


def test_apply_drops_once(items: list[Item]) -> None:
    first, second = (command(*ASKED, "--apply")[1] for _time in range(2))
    assert (first["applied"], first["dropped"], first["moved"], first["dropped_in_all"]) == (True, 1, 1, 1)
    assert (second["dropped"], second["moved"], second["dropped_in_all"]) == (0, 0, 1)
    assert Item.objects.get(pk=items[0].pk).drop_reason == "too_easy"


def test_a_lower_threshold_finds_more() -> None:
    assert command(*ASKED, "--threshold", "0.6")[1]["dropped"] == 2


@pytest.mark.parametrize("threshold", ["2", "nan", "-0.1", "x"])
def test_a_threshold_that_is_none_is_refused_before_anything_is_read(threshold: str) -> None:
    code, report, err = command(*ASKED, f"--threshold={threshold}")
    assert (code != 0, report) == (True, {})
    assert "--threshold" in err


def test_an_unknown_run_or_author_is_refused() -> None:
    assert command("difficulty", "fb", "--run", "7", "--authors", "a")[0] == 1
    code, _report, err = command("difficulty", "fb", "--run", "judge-m", "--authors", "zoe")
    assert (code, "zoe" in err) == (1, True)
