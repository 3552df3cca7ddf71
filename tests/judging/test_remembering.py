from collections.abc import Callable
from datetime import timedelta
from itertools import count

import pytest
from django.core.cache import caches

from annotate.models import Item, Project
from judging.cache import cached, states_of
from judging.models import Answer, Author, Judge, Verdict
from tests.support.judged import CORRECTION, a_judge, answer_of, decided_item, verdict_on
from tests.support.people import make_project
from tests.support.runs import make_jobs, make_run

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return make_project()


@pytest.fixture
def judge(project: Project) -> Judge:
    judge = a_judge(project)
    verdict_on(answer_of(decided_item(project, CORRECTION), "Alpha"), judge, (1, 0))
    return judge


def another_verdict(project: Project) -> None:
    verdict_on(Answer.objects.get(), Judge.objects.get(), (1, 1), repeat=2)


def another_version(project: Project) -> None:
    answer_of(Item.objects.get(), "Alpha", version=2)


def a_changed_item(project: Project) -> None:
    item = Item.objects.get()
    item.changed_at += timedelta(seconds=1)
    item.save()


def a_removed_verdict(project: Project) -> None:
    Verdict.objects.all().delete()


def another_name(project: Project) -> None:
    Author.objects.update(name="Omega")


def another_rule(project: Project) -> None:
    project.options = {"maintenance_rule": "all"}


def a_simulated_judge(project: Project) -> None:
    Judge.objects.update(simulated=True)


def a_failed_job(project: Project) -> None:
    make_jobs(make_run(project, purpose="judge"), causes={"refused": 1})


CHANGES = [
    another_verdict,
    another_version,
    a_changed_item,
    a_removed_verdict,
    another_name,
    another_rule,
    a_failed_job,
    a_simulated_judge,
]


@pytest.mark.parametrize("change", CHANGES)
def test_whatever_scores_are_made_of_makes_another_state(
    project: Project, judge: Judge, change: Callable[[Project], None]
) -> None:
    before = states_of(project, [judge])
    assert states_of(project, [judge]) == before
    change(project)
    assert states_of(project, list(Judge.objects.all())) != before


def test_a_verdict_of_one_judge_is_nothing_to_another(project: Project, judge: Judge) -> None:
    other = a_judge(project, "other")
    before = states_of(project, [judge, other])
    verdict_on(Answer.objects.get(), other, (1, 1))
    after = states_of(project, [judge, other])
    assert (before[judge.pk] == after[judge.pk], before[other.pk] == after[other.pk]) == (True, False)
    assert len({*after.values()}) == 2


def test_what_was_made_once_is_not_made_again() -> None:
    caches["local"].clear()
    made = count(1)
    numbers = [cached("test", state, lambda: next(made)) for state in ("a", "a", "b", "a")]
    assert numbers == [1, 1, 2, 1]
    assert cached("another", "a", lambda: next(made)) == 3
