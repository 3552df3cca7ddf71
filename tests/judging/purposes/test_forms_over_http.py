"""Own questions asked of a real server: every type of question, what is sent, and replies that are refused or odd."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from annotate.models import Annotation, Project, Run
from annotate.project.actions import create_project
from annotate.runs import actions
from annotate.runs.execution import progress, work
from annotate.runs.plan import plan_run
from judging.models import Part, Verdict
from tests.annotate.engine.conftest import at_once
from tests.support import faulty_model
from tests.support.every_question import ANSWERS, COLUMNS, EVERY_TYPE, REPLY
from tests.support.faulty_model import ANSWERS as HTTP_ANSWERS
from tests.support.faulty_model import FaultyModel, completion
from tests.support.files import imported, write_rows
from tests.support.runs import make_endpoint

__all__ = ["at_once"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("at_once")]
GIVEN = ANSWERS | {"topics": ["news"]}
Says = Callable[[str], str]  # the JSON of a reply -> what is sent


def as_json(reply: str) -> str:
    return reply


def repairable(reply: str) -> str:
    """In a fence, with prose around it and a comma too much."""
    return f"Here it is:\n```json\n{reply[:-1]},}}\n```\nAnything else?"


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[FaultyModel]:
    """Answers those questions that the schema of a request has, as `REPLY` says."""
    monkeypatch.setitem(HTTP_ANSWERS, "good", answering(as_json))
    with faulty_model.faulty_model(share=0) as serving:
        yield serving


def answering(says: Says) -> faulty_model.Answer:
    async def answer(request: web.Request) -> web.StreamResponse:
        reply = {name: REPLY[name] for name in asked_in(await request.json())}
        if len(reply) == 1 and "rubric" in reply:  # of one criterion alone
            reply["rubric"] = REPLY["rubric"] if b"Shouts" in await request.read() else {"1": "met"}
        return web.json_response(completion(says(json.dumps(reply, ensure_ascii=False))))

    return answer


def asked_in(body: dict[str, Any]) -> list[str]:
    return list(body["response_format"]["json_schema"]["schema"]["properties"])


@pytest.fixture
def project(tmp_path: Path) -> Project:
    project = create_project(slug="own", kind="form", definition=EVERY_TYPE)
    report = imported(project, write_rows(tmp_path / "items.jsonl", [{"key": "k0", **COLUMNS}]))
    assert report["kept"] == 1, report["problems"]
    return Project.objects.get(slug="own")


def worked(project: Project, model: FaultyModel, purpose: str, **options: Any) -> Run:
    endpoint = make_endpoint(base_url=model.base_url, attempts=1)
    run = plan_run(project=project, purpose=purpose, endpoint=endpoint, by=None, options=options, whole=True)
    actions.start(run, None, ring=False)
    work(run)
    run.refresh_from_db()
    return run


def bytes_sent(model: FaultyModel) -> str:
    return json.dumps(model.bodies, ensure_ascii=False)


def test_a_model_answers_every_type_in_one_call_or_one_for_each(project: Project, model: FaultyModel) -> None:
    together = worked(project, model, "preannotate")
    assert (together.calls, model.calls, asked_in(model.bodies[0])) == (1, 1, list(REPLY))
    apart = worked(project, model, "preannotate", one_by_one=True)
    assert (apart.calls, model.calls) == (len(REPLY), 1 + len(REPLY))
    assert apart.cost > together.cost > 0
    for run in (together, apart):
        suggestion = Annotation.objects.get(run=run)
        assert (suggestion.draft, suggestion.doubts) == (GIVEN, [])
    assert "m-1" not in bytes_sent(model)
    assert '"model\\"' not in bytes_sent(model)


def test_a_refused_question_fails_its_item_and_only_what_is_left_is_asked_again(
    project: Project, model: FaultyModel
) -> None:
    model.chooses = lambda text, _no: "refused" if "price:" in text else "good"
    run = worked(project, model, "preannotate", one_by_one=True)
    assert (progress(run).causes, model.calls) == ({"refused": 1}, 7)
    assert not Annotation.objects.filter(run=run).exists()
    model.chooses = None
    actions.retry_failed(run, None, ring=False)
    work(run)
    assert Annotation.objects.get(run=run).draft == GIVEN
    # The six questions before it keep their replies.
    assert model.calls == 7 + len(REPLY) - 6
    assert [asked_in(body) for body in model.bodies[7:]] == [[name] for name in list(REPLY)[6:]]


def test_a_repairable_reply_counts_and_an_unreadable_one_does_not(
    project: Project, model: FaultyModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(HTTP_ANSWERS, "good", answering(repairable))
    assert Annotation.objects.get(run=worked(project, model, "preannotate")).draft == GIVEN
    worked(project, model, "judge", strategy="form")
    model.chooses = lambda _text, _no: "prose"
    worked(project, model, "judge", strategy="form")
    assert list(Verdict.objects.order_by("pk").values_list("reading", flat=True)) == ["ok", "unparsed"]
    assert progress(worked(project, model, "preannotate")).causes == {"not_json": 1}


def test_a_judge_answers_every_type_and_sees_each_side_first(project: Project, model: FaultyModel) -> None:
    run = worked(project, model, "judge", strategy="form", repeats=2)
    assert (run.calls, model.calls) == (2, 2)
    by_repeat = [parts_of(verdict) for verdict in Verdict.objects.filter(job__run=run).order_by("repeat")]
    sides = [json.loads(material_in(body)) for body in model.bodies]
    assert {(side["a"], side["b"]) for side in sides} == {("A cat 🐈 sat", "Two"), ("Two", "A cat 🐈 sat")}
    for side, parts in zip(sides, by_repeat, strict=True):
        straight = side["a"] == COLUMNS["a"]
        assert (parts["better"], parts["order"]) == (("second", [2, 1]) if straight else ("first", [1, 2]))
        rest = GIVEN.keys() - {"better", "order", "errors"}
        assert {name: parts[name] for name in rest} == {name: GIVEN[name] for name in rest}
    assert "m-1" not in bytes_sent(model)


def test_criteria_one_by_one_are_calls_of_their_own(project: Project, model: FaultyModel) -> None:
    run = worked(project, model, "judge", strategy="form", one_by_one=True)
    assert [asked_in(body) for body in model.bodies][1:] == [["rubric"], ["rubric"]]
    assert (run.calls, "Shouts" in bytes_sent_in(model, 1), "Shouts" in bytes_sent_in(model, 2)) == (3, False, True)
    assert parts_of(Verdict.objects.get(job__run=run))["rubric"][0] == "met"


def parts_of(verdict: Verdict) -> dict[str, Any]:
    found = Part.objects.filter(verdict=verdict).exclude(label="")
    return {axis: json.loads(label) for axis, label in found.values_list("axis", "label")}


def material_in(body: dict[str, Any]) -> str:
    text: str = body["messages"][-1]["content"]
    start = text.index("{\n")
    return text[start : text.index("\n}", start) + 2]


def bytes_sent_in(model: FaultyModel, number: int) -> str:
    return json.dumps(model.bodies[number], ensure_ascii=False)
