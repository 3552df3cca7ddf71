from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries

from annotate.models import Item, Project
from judging.answers.queries import Coverage, Spread, coverage
from judging.models import Author
from tests.support.judged import CORRECTION, answer_of, decided_item
from tests.support.people import make_item, make_project
from tests.support.runs import make_jobs, make_run

pytestmark = pytest.mark.django_db


def of(project: Project, name: str = "A") -> Coverage:
    return next(one for one in coverage(project) if one.author.name == name)


def failed_run(project: Project, items: list[Item], author: str = "A", **columns: Any) -> int:
    made = make_run(project, **{"purpose": "answer", "options": {"author": author}} | columns)
    make_jobs(made, items=items, causes={"empty": len(items)})
    return made.pk


def test_items_are_covered_and_current_answers_counted() -> None:
    project = make_project()
    first, second, third = (decided_item(project, CORRECTION) for _ in range(3))
    answer_of(first, "A")
    answer_of(first, "A", sample=2)
    answer_of(first, "A", sample=2, version=2, simulated=True)
    answer_of(second, "A", text="", known=False)
    last = answer_of(make_item(project), "A")
    answer_of(third, "B")
    found = of(project)
    assert (found.items, found.answered, found.answers, found.samples) == (3, 2, 4, 2)
    assert (found.unknown, found.simulated, found.failed, found.failed_run) == (1, 1, 0, None)
    assert found.last == last.created_at
    assert [one.author.name for one in coverage(project)] == ["A", "B"]


def test_an_author_without_answers_is_there_with_nothing() -> None:
    project = make_project()
    author = Author.objects.create(project=project, name="A")
    decided_item(project, CORRECTION)
    assert of(project) == Coverage(author, items=1)


def test_lengths_are_of_the_texts_that_are_known() -> None:
    project = make_project()
    # By nearest rank of 1..20: the 10th is the median, the 19th (95 %) the upper end. Four Latin letters are a token.
    for number in range(1, 21):
        answer_of(decided_item(project, CORRECTION), "A", text="x" * (4 * number))
    answer_of(decided_item(project, CORRECTION), "A", text="", known=False)
    found = of(project)
    assert (found.characters, found.tokens) == (Spread(40, 76), Spread(10, 19))


def test_a_chinese_character_is_a_token() -> None:
    project = make_project()
    answer_of(decided_item(project, CORRECTION), "A", text="两颗卫星abcdefgh")
    assert of(project).tokens == Spread(6, 6)


def test_failures_are_items_that_nothing_else_answered() -> None:
    project = make_project()
    first, second, third = (decided_item(project, CORRECTION) for _ in range(3))
    failed_run(project, [first, second])
    newest = failed_run(project, [second, third])
    failed_run(project, [first], author="B")
    failed_run(project, [first], purpose="preannotate")
    answer_of(third, "A")
    found = of(project)
    assert (found.failed, found.failed_run) == (2, newest)


def test_five_queries_however_many_authors(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    project = make_project()
    for number in range(4):
        item = decided_item(project, CORRECTION)
        failed_run(project, [item], author=f"A{number}")
        for other in range(5):
            answer_of(item, f"A{other}")
    with django_assert_num_queries(5):
        assert len(coverage(project)) == 5


def test_other_projects_are_not_counted() -> None:
    project = make_project()
    answer_of(decided_item(make_project(), CORRECTION), "A")
    assert coverage(project) == []
