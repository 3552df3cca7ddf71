from typing import Any

import pytest
from django.core.cache import caches

from annotate.items import actions
from annotate.models import Annotation, Event, Item, Project
from judging.boards.difficulty.numbers import (
    Difficulty,
    Source,
    apply,
    difficulty,
    dropped_items,
    restore,
    source_named,
    sources,
)
from judging.boards.report import Refused
from judging.models import Judge
from tests.support.judge_rows import make_judge_run
from tests.support.judged import CORRECTION, MAINTENANCE, a_judge, answer_of, decided_item, verdict_on
from tests.support.people import make_member, make_project

pytestmark = pytest.mark.django_db
WEAK = ["weak", "weaker"]


@pytest.fixture(autouse=True)
def nothing_remembered() -> None:
    caches["local"].clear()


@pytest.fixture
def project() -> Project:
    return make_project(slug="fb")


def item_with(project: Project, judge: Judge, weak: Any, weaker: Any, draft: Any = CORRECTION, **changes: Any) -> Item:
    item = decided_item(project, draft, **changes)
    for author, met in (("weak", weak), ("weaker", weaker)):
        if met is not None:
            verdict_on(answer_of(item, author), judge, met)
    return item


def weighed(project: Project, threshold: float = 1.0) -> Difficulty:
    return difficulty(project, Source(a_judge(project)), WEAK, threshold)


def test_items_that_all_weak_authors_solve_go_and_the_balance_says_so(project: Project) -> None:
    judge = a_judge(project)
    easy = item_with(project, judge, (1, 1), (1, 1))
    item_with(project, judge, (1, 1), (1, 0))
    item_with(project, judge, (1, 0), (1, 1), MAINTENANCE, task_type="Reasoning")  # any question met is all of it
    found = weighed(project)
    assert [item.key for item in found.dropped][:1] == [easy.key]
    assert (len(found.items), found.kept, len(found.dropped), found.unjudged) == (3, 1, 2, 0)
    coding, reasoning = found.balance
    assert (coding.task, coding.before, coding.after, coding.share_after) == ("Coding", 2, 1, 1.0)
    assert (reasoning.task, reasoning.before, reasoning.after) == ("Reasoning", 1, 0)


def test_an_item_without_a_score_of_every_weak_author_stays_and_is_counted(project: Project) -> None:
    judge = a_judge(project)
    item_with(project, judge, (1, 1), None)
    failed = decided_item(project, CORRECTION)
    verdict_on(answer_of(failed, "weak"), judge, (1, 1))
    verdict_on(answer_of(failed, "weaker"), judge, (), reading="failed")
    decided_item(project, CORRECTION)  # answered by nobody
    item_with(project, judge, (1, 1), (1, 1))
    found = weighed(project)
    assert (len(found.items), found.unjudged, len(found.dropped)) == (4, 3, 1)


def test_a_run_counts_only_what_was_said_in_it(project: Project) -> None:
    judge = a_judge(project)
    item = decided_item(project, CORRECTION)
    runs = [make_judge_run(judge) for _one in range(2)]
    answers = [answer_of(item, author) for author in WEAK]
    for run, met in zip(runs, [(1, 1), (1, 0)], strict=True):
        for answer in answers:
            job = run.jobs.create(subject=f"answer/{answer.pk}", item=item)
            verdict_on(answer, judge, met, job=job)
    told = [len(difficulty(project, source_named(project, str(run.pk)), WEAK).dropped) for run in runs]
    assert told == [1, 0]
    assert [source.word for source in sources(project)] == [str(runs[1].pk), str(runs[0].pk), f"judge-{judge.pk}"]


def test_dropping_names_its_evidence_and_doing_it_again_drops_nothing(project: Project) -> None:
    item = item_with(project, a_judge(project), (1, 1), (1, 1))
    assert apply(weighed(project), by=None).count == 1
    item.refresh_from_db()
    assert (item.state, item.drop_reason) == ("dropped", "too_easy")
    note = Event.objects.get(item=item, verb="dropped").note
    assert note == "Difficulty filter: judge-m · checklist, threshold 1.00. weak 1.00, weaker 1.00."
    caches["local"].clear()
    assert apply(weighed(project), by=None).count == 0


def test_an_item_that_changed_after_it_was_weighed_stays(project: Project) -> None:
    item = item_with(project, a_judge(project), (1, 1), (1, 1))
    found = weighed(project)
    other = Annotation.objects.create(item=item, model="writer", draft=CORRECTION | {"feedback": "Another one."})
    Item.objects.filter(pk=item.pk).update(base=other)
    done = apply(found, by=None)
    assert (done.count, dict(done.left_out)) == (0, {"raced": 1})
    assert Item.objects.get(pk=item.pk).state == "accepted"


def test_what_was_dropped_comes_back_as_it_was(project: Project) -> None:
    judge, lead = a_judge(project), make_member(project, "lead").user
    items = [item_with(project, judge, (1, 1), (1, 1)) for _number in range(3)]
    before = list(Item.objects.order_by("pk").values("pk", "state", "round", "base", "drop_reason"))
    apply(weighed(project), by=lead)
    assert restore(project, by=lead, items=Item.objects.filter(pk=items[0].pk)).count == 1
    assert dropped_items(project).count() == 2
    assert restore(project, by=lead).count == 2
    assert list(Item.objects.order_by("pk").values("pk", "state", "round", "base", "drop_reason")) == before
    assert restore(project, by=lead).count == 0


def test_what_somebody_dropped_by_hand_is_not_taken_back(project: Project) -> None:
    judge, lead = a_judge(project), make_member(project, "lead").user
    by_hand, by_filter = (item_with(project, judge, (1, 1), (1, 1)) for _number in range(2))
    actions.drop(by_hand, by=lead, reason="too_easy", note="I know this one.")
    apply(weighed(project), by=lead)
    assert [item.pk for item in dropped_items(project)] == [by_filter.pk]


def test_a_sample_is_the_same_for_the_same_seed(project: Project) -> None:
    judge = a_judge(project)
    for _number in range(12):
        item_with(project, judge, (1, 1), (1, 1))
    found = weighed(project)
    first, again, other = (found.sample(seed, 4) for seed in (1, 1, 2))
    assert first == again != other
    assert len({item.key for item in first}) == 4
    assert len(found.sample(1, 50)) == 12


@pytest.mark.parametrize(
    ("word", "told"),
    [("99", "no judge run 99"), ("nobody", "No judge is called"), ("9" * 30, "No judge is called"), ("²", "No judge")],
)
def test_a_source_that_is_not_there_is_refused(project: Project, word: str, told: str) -> None:
    item_with(project, a_judge(project), (1, 1), (1, 1))
    with pytest.raises(Refused, match=told):
        source_named(project, word)


def test_an_author_who_was_not_judged_is_refused_with_those_who_were(project: Project) -> None:
    item_with(project, a_judge(project), (1, 1), (1, 1))
    with pytest.raises(Refused, match=r"“strange”\. Authors: weak, weaker"):
        difficulty(project, Source(a_judge(project)), ["weak", "strange"])
