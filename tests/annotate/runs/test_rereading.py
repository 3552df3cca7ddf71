import json
from typing import Any

import pytest

from annotate.kinds.protocol import Cause
from annotate.models import Annotation
from annotate.runs import actions
from annotate.runs.execution import progress, work
from annotate.runs.reparse import reread
from tests.annotate.runs.conftest import Reader
from tests.support.faulty_model import FaultyModel
from tests.support.small_purpose import make_endpoint, planned, states

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("at_once")]


def test_a_changed_parser_reads_stored_replies_without_a_call(reader: Reader, model: FaultyModel) -> None:
    run = planned(make_endpoint(model.base_url), items=5, options={"steps": 2})
    actions.start(run, None, ring=False)
    work(run)
    same = reread(run, None)
    assert (same.jobs, same.read, same.failed, same.changed, same.items) == (5, 5, 0, 0, [])
    assert Annotation.objects.filter(run=run).count() == 5
    reader.upper = True
    changed = reread(run, None)
    assert (changed.jobs, changed.read, changed.failed, changed.changed) == (5, 5, 0, 5)
    assert changed.items == list(run.jobs.order_by("item").values_list("item", flat=True))
    assert Annotation.objects.filter(run=run, draft={"words": ["MOON", "MOON"]}).count() == 5
    assert Annotation.objects.filter(run=run).count() == 10, "new suggestions beside the old ones"
    assert model.calls == 10


def test_a_job_that_can_now_be_read_is_done(
    reader: Reader, model: FaultyModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The service wrote {"word": ["moon"], …}; the new shape allows a list."""
    model.chooses = lambda question, _times: {0: "wrong_types", 1: "bad_request"}.get(number(question), "good")
    run = planned(make_endpoint(model.base_url, attempts=1), items=4)
    first = min(run.jobs.values_list("item_id", flat=True))

    def number(question: str) -> int:
        return int(question.split()[0].removeprefix("item/")) - first

    actions.start(run, None, ring=False)
    work(run)
    assert progress(run).causes == {"wrong_shape": 1, "bad_request": 1}
    from annotate.engine import replies

    read = replies.parse_reply

    def tolerant(question: Any, text: str) -> Any:
        value = json.loads(text)
        return read(question, json.dumps({"word": str(value["word"]), "number": 2}))

    monkeypatch.setattr(replies, "parse_reply", tolerant)
    found = reread(run, None)
    assert (found.jobs, found.read, found.failed, found.changed) == (4, 3, 1, 1)
    assert progress(run).causes == {"bad_request": 1}
    assert states(run) == {"done": 3, "failed": 1}
    assert model.calls == 4


def test_a_job_that_cannot_be_read_any_more_keeps_what_it_has(
    reader: Reader, model: FaultyModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = planned(make_endpoint(model.base_url), items=2)
    actions.start(run, None, ring=False)
    work(run)
    from annotate.engine import replies

    def refuse(_question: Any, _text: str) -> Any:
        raise replies.Unread(Cause.WRONG_SHAPE, "No.")

    monkeypatch.setattr(replies, "parse_reply", refuse)
    found = reread(run, None)
    assert (found.jobs, found.read, found.failed, found.changed) == (2, 0, 2, 0)
    assert states(run) == {"done": 2}
