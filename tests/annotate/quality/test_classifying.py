from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries

from annotate.models import Annotation, Classification, Item, Job, Project, Run
from annotate.quality import classification
from annotate.quality.classification import accuracy, cell
from tests.annotate.purposes.test_preannotate import make_run
from tests.support.people import DRAFT, FACTS, make_project

pytestmark = pytest.mark.django_db
ALGEBRA, GEOMETRY, CODE = "Mathematics;Algebra", "Mathematics;Geometry", "Coding;Code Debugging"


def classified(run: Run, people: str | None, model: str, *, listed: bool = True, **columns: Any) -> Item:
    """An item that people accepted under a label (None: not accepted), and what the model said."""
    number = Item.objects.count()
    columns = {"state": "accepted" if people is not None else "ready", **columns}
    item = Item.objects.create(project=run.project, key=f"k-{number}", facts=FACTS, content_hash=f"{number}", **columns)
    if people is not None:
        task, _semicolon, subtask = people.partition(";")
        draft = {**DRAFT, "task_type": task, "sub_task_type": subtask}
        Item.objects.filter(pk=item.pk).update(base=Annotation.objects.create(item=item, rater="import", draft=draft))
    group = model.split(";")[0]
    Classification.objects.create(run=run, item=item, label=model, group=group, listed=listed)
    return item


@pytest.fixture
def run() -> Run:
    return make_run(make_project(), "classify")


def test_accuracy_is_counted_over_what_people_accepted(run: Run) -> None:
    """Of five: two wholly right, one of the right task only, one wrong, one outside. Tasks 3/5, labels 2/5."""
    for people, model in ((ALGEBRA, ALGEBRA), (CODE, CODE), (ALGEBRA, GEOMETRY), (CODE, ALGEBRA)):
        classified(run, people, model)
    classified(run, CODE, "Poetry", listed=False)
    found = accuracy(run)
    assert (found.tasks.hits, found.labels.hits, found.n) == (3, 2, 5)
    assert found.cells == {
        ("Mathematics", "Mathematics"): 2,
        ("Coding", "Coding"): 1,
        ("Coding", "Mathematics"): 1,
        ("Coding", ""): 1,
    }
    assert found.columns == ["Coding", "Mathematics", ""]
    assert [(row.task, row.right.hits, row.right.n) for row in found.rows] == [("Coding", 1, 3), ("Mathematics", 2, 2)]


def test_the_interval_is_wilsons(run: Run) -> None:
    """8 of 10: (0.8 + 3.8415/20 ± 1.96 * sqrt(0.016 + 0.0096)) / 1.38415, which is 49.0 to 94.3 %."""
    for number in range(10):
        classified(run, ALGEBRA, ALGEBRA if number < 8 else CODE)
    interval = accuracy(run).tasks.interval
    assert interval is not None
    assert (round(interval.low, 1), round(interval.high, 1)) == (49.0, 94.3)


def test_what_says_nothing_is_left_out_with_its_reason(run: Run) -> None:
    classified(run, ALGEBRA, ALGEBRA)
    classified(run, None, ALGEBRA)
    classified(run, ALGEBRA, ALGEBRA, state="dropped", drop_reason="other")
    classified(run, ALGEBRA, ALGEBRA, purpose="gold")
    classified(run, ";", ALGEBRA)
    classified(run, ALGEBRA, ALGEBRA, state="reviewing")
    found = accuracy(run)
    assert found.n == 1
    assert {one.why: one.items for one in found.left_out} == {"open": 2, "dropped": 1, "aside": 1, "unlabelled": 1}
    assert found.n + sum(one.items for one in found.left_out) == Classification.objects.count()


def test_jobs_without_a_label_are_counted_by_what_became_of_them(run: Run) -> None:
    Job.objects.create(run=run, subject="a", state="failed", cause="timeout")
    Job.objects.create(run=run, subject="b", state="done")
    assert accuracy(run).without == {"failed": 1}


def test_nothing_compared_is_undefined_and_not_zero(run: Run) -> None:
    found = accuracy(run)
    assert (found.tasks.percent, found.labels.interval, found.rows, found.left_out) == (None, None, [], [])


def test_every_figure_opens_exactly_its_items(run: Run) -> None:
    for people, model in ((ALGEBRA, ALGEBRA), (CODE, CODE), (ALGEBRA, GEOMETRY), (CODE, ALGEBRA), (None, CODE)):
        classified(run, people, model)
    classified(run, CODE, "Poetry", listed=False)
    found = accuracy(run)
    for (people, model), n in found.cells.items():
        assert cell(run, {"people": people, "model": model}).count() == n
    for row in found.rows:
        assert cell(run, {"people": row.task}).count() == row.right.n
    assert cell(run, {}).count() == found.n
    assert cell(run, {"right": "task"}).count() == found.tasks.hits
    assert cell(run, {"right": "label"}).count() == found.labels.hits
    for one in found.left_out:
        assert cell(run, {"left": one.why}).count() == one.items


def test_a_label_that_only_looks_right_is_not(run: Run) -> None:
    classified(run, "Poetry;Odes", "Poetry;Odes", listed=False)  # people's taxonomy has changed since
    assert accuracy(run).labels.hits == accuracy(run).tasks.hits == 0
    assert not cell(run, {"right": "label"}).exists()


def test_pages_follow_each_other_without_a_gap(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(classification, "PAGE", 2)
    items = [classified(run, ALGEBRA, ALGEBRA).pk for _ in range(5)]
    seen, after = [], 0
    while after is not None:
        rows, after = classification.page(cell(run, {}), after)
        seen += [one.item_id for one in rows]
    assert seen == items


def test_the_figures_take_three_queries_whatever_the_size(
    run: Run, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(30):
        classified(run, (ALGEBRA, CODE)[number % 2], (ALGEBRA, GEOMETRY, CODE)[number % 3])
    with django_assert_num_queries(3):
        accuracy(run)


def test_runs_of_others_and_without_labels_are_not_listed(run: Run) -> None:
    classified(run, ALGEBRA, ALGEBRA)
    classified(make_run(make_project(), "classify"), ALGEBRA, ALGEBRA)
    make_run(Project.objects.get(pk=run.project_id), "preannotate")
    assert list(classification.runs_of(run.project_id)) == [run]
