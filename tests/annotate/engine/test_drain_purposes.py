"""What a purpose may do, and what happens where it fails."""

from collections.abc import Callable
from typing import Any

import pytest

from annotate.engine.purposes import Case
from annotate.kinds.protocol import Ask, CallFailed, Cause, Question
from annotate.models import Annotation, Call, Item, Job, Run
from annotate.runs import actions, execution
from tests.annotate.engine.worked import causes, started, worked
from tests.support.faulty_model import FaultyModel
from tests.support.small_purpose import Word, Words, planned, states

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("at_once")]


class Odd(Words):
    """work is what a test wants it to be."""

    def __init__(self, work: Callable[[Case, Ask], Any]) -> None:
        self.work = work  # type: ignore[method-assign, assignment]


@pytest.fixture
def odd(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[Case, Ask], Any]], None]:
    def become(work: Callable[[Case, Ask], Any]) -> None:
        purpose = Odd(work)
        monkeypatch.setattr("annotate.engine.purposes.purposes", lambda: {"words": purpose})

    return become


def test_a_fault_of_a_purpose_is_a_defect_and_in_the_log(
    odd: Any, model: FaultyModel, caplog: pytest.LogCaptureFixture
) -> None:
    async def work(case: Case, ask: Ask) -> None:
        raise ZeroDivisionError("of all things")

    odd(work)
    run = worked(model, items=3)
    assert (run.state, causes(run)) == (Run.State.FINISHED, {"defect": 3})
    assert "of all things" in caplog.text


def test_a_purpose_that_asks_the_database_is_a_defect(odd: Any, model: FaultyModel, monkeypatch: Any) -> None:
    monkeypatch.delenv("DJANGO_ALLOW_ASYNC_UNSAFE", raising=False)

    async def work(case: Case, ask: Ask) -> None:
        Item.objects.count()

    odd(work)
    assert causes(worked(model)) == {"defect": 1}


def test_a_purpose_says_that_there_is_nothing_to_ask(odd: Any, model: FaultyModel) -> None:
    async def work(case: Case, ask: Ask) -> None:
        raise CallFailed(Cause.UNSUITABLE, "Nothing to ask.")

    odd(work)
    run = worked(model)
    assert (causes(run), Job.objects.get().detail, run.calls) == ({"unsuitable": 1}, "Nothing to ask.", 0)


def test_questions_of_a_job_may_be_asked_together(odd: Any, model: FaultyModel) -> None:
    import asyncio

    async def work(case: Case, ask: Ask) -> list[str]:
        asked = [Question(f"s/{n}", [{"role": "user", "content": f"{case.item.pk}/{n}"}], Word) for n in range(4)]
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(ask(question)) for question in asked]  # type: ignore[arg-type]
        return [task.result().read.word for task in tasks]

    odd(work)
    model.chooses = lambda question, _times: "too_long" if question.endswith("/3") else "good"
    run = worked(model, items=3)
    assert causes(run) == {"too_long": 3}
    model.chooses = None
    actions.retry_failed(run, None, ring=False)
    execution.work(run)
    assert states(run) == {"done": 3}
    assert set(Call.objects.filter(cause="").values_list("step", flat=True)) == {"s/0", "s/1", "s/2", "s/3"}


def test_a_fault_while_storing_fails_that_job_only(
    words: Words, model: FaultyModel, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    run = started(model, items=10)
    bad = Job.objects.order_by("pk")[4].pk
    store = words.store

    def fragile(case: Case, outcome: Any) -> None:
        store(case, outcome)
        if case.job.pk == bad:
            raise ValueError("does not fit")

    monkeypatch.setattr(words, "store", fragile)
    execution.work(run)
    assert (states(run), causes(run)) == ({"done": 9, "failed": 1}, {"defect": 1})
    assert Annotation.objects.filter(run=run).count() == 9
    assert "does not fit" in caplog.text


def test_an_item_that_is_gone_is_unsuitable_and_does_not_stop_the_others(words: Words, model: FaultyModel) -> None:
    run = started(model, items=5)
    Item.objects.filter(pk=Job.objects.order_by("pk")[2].item_id).delete()
    execution.work(run)
    assert (states(run), causes(run)) == ({"done": 4, "failed": 1}, {"unsuitable": 1})


def test_an_item_that_cannot_be_loaded_does_not_stop_the_others(
    words: Words, model: FaultyModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = started(model, items=5)
    bad = Job.objects.order_by("pk")[2].pk
    load = words.load

    def fragile(run: Run, jobs: list[Job], prompts: Any) -> list[Case]:
        if any(job.pk == bad for job in jobs):
            raise ValueError("unreadable")
        return load(run, jobs, prompts)

    monkeypatch.setattr(words, "load", fragile)
    execution.work(run)
    assert (states(run), causes(run)) == ({"done": 4, "failed": 1}, {"defect": 1})


def test_texts_that_no_database_holds_are_asked_and_kept(odd: Any, model: FaultyModel) -> None:
    async def work(case: Case, ask: Ask) -> list[str]:
        return [(await ask(Question("s", [{"role": "user", "content": "nul \0 half \ud800"}], Word))).read.word]

    odd(work)
    assert states(worked(model)) == {"done": 1}
    assert Call.objects.get().request["messages"][0]["content"] == "nul \ufffd half ?"


def test_equal_questions_are_asked_once_if_the_run_says_so(odd: Any, model: FaultyModel) -> None:
    async def work(case: Case, ask: Ask) -> list[str]:
        same = await ask(Question("same", [{"role": "user", "content": "the same for all"}], Word))
        warm = await ask(Question("warm", [{"role": "user", "content": "also the same"}], Word, temperature=0.7))
        return [same.read.word, warm.read.word]

    odd(work)
    first = worked(model, items=6, shares_replies=True)
    assert model.received == {"the same for all": 1, "also the same": 6}
    second = planned(first.endpoint, items=0, project=first.project, shares_replies=True)
    assert second.jobs.count() == 6
    actions.start(second, None, ring=False)
    execution.work(second)
    assert model.received == {"the same for all": 1, "also the same": 12}
    third = planned(first.endpoint, items=1, shares_replies=True)
    actions.start(third, None, ring=False)
    execution.work(third)
    assert model.received["the same for all"] == 2, "another project's replies are its own"


def test_without_sharing_equal_questions_are_asked_again(odd: Any, model: FaultyModel) -> None:
    async def work(case: Case, ask: Ask) -> list[str]:
        return [(await ask(Question("same", [{"role": "user", "content": "the same for all"}], Word))).read.word]

    odd(work)
    worked(model, items=3)
    assert model.calls == 3
