"""A step without a readable reply hands on what the model said last, also when it is taken up or read again."""

from typing import Any

import pytest

from annotate.engine.purposes import Case
from annotate.kinds.protocol import Ask, CallFailed
from annotate.models import Annotation, Run
from annotate.runs import actions, execution
from annotate.runs.reparse import reread
from tests.support.faulty_model import FaultyModel
from tests.support.small_purpose import Words, make_endpoint, planned

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("at_once")]
PROSE = "The word is moon, and the number is two."


@pytest.fixture
def listening(words: Words, monkeypatch: pytest.MonkeyPatch) -> Words:
    """What was said stands where words would."""

    async def work(case: Case, ask: Ask) -> list[str]:
        try:
            await ask(words.question(case, 0))
        except CallFailed as failed:
            return [failed.cause, failed.said]
        return []

    monkeypatch.setattr(words, "work", work)
    return words


def worked(model: FaultyModel, **columns: Any) -> Run:
    run = planned(make_endpoint(model.base_url, attempts=2, **columns), items=1)
    actions.start(run, None, ring=False)
    execution.work(run)
    return run


def words_kept() -> list[str]:
    return Annotation.objects.latest("pk").draft["words"]


def test_the_last_reply_comes_with_the_failure(listening: Words, model: FaultyModel) -> None:
    model.chooses = lambda _question, times: "wrong_types" if times == 1 else "prose"
    run = worked(model)
    assert words_kept() == ["not_json", PROSE]
    Annotation.objects.all().delete()
    reread(run, None)
    assert words_kept() == ["not_json", PROSE]


def test_what_the_ledger_holds_comes_without_another_call(listening: Words, model: FaultyModel) -> None:
    model.chooses = lambda _question, _times: "prose"
    run = worked(model)
    Annotation.objects.all().delete()
    run.jobs.update(state="pending", ended_at=None)
    Run.objects.filter(pk=run.pk).update(state="running")
    execution.work(run)
    assert (words_kept(), model.calls) == (["not_json", PROSE], 2)
