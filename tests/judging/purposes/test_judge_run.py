"""A run of a judge through the engine, with a service that answers."""

from decimal import Decimal

import pytest

from annotate.engine.prompts import Key, current, write
from annotate.models import Call, Project, Run
from annotate.prompts import trials
from annotate.runs import actions, reparse
from annotate.runs.execution import work
from annotate.runs.plan import plan_run
from judging.models import Judge, Part, Verdict
from lib.simulated.candidate import MET
from lib.texts.raw_messages import RawMessages
from tests.support.judged import CORRECTION, MAINTENANCE, answer_of, decided_item
from tests.support.model_server import ModelServer
from tests.support.people import make_member, make_project
from tests.support.runs import make_endpoint

pytestmark = pytest.mark.django_db


@pytest.fixture
def sent(model_server: ModelServer, project: Project) -> Run:
    """A finished run over two answers."""
    endpoint = make_endpoint(model="simulated-judge", base_url=model_server.base_url, simulated=True)
    made = plan_run(project=project, purpose="judge", endpoint=endpoint, by=None, options={"strategy": "checklist"})
    actions.start(made, None, ring=False)
    work(made)
    return made


@pytest.fixture
def project() -> Project:
    made = make_project()
    for draft in (CORRECTION, MAINTENANCE):
        answer_of(decided_item(made, draft), "A", text=MET[0][0].format(part="it"))
    return made


@pytest.mark.usefixtures("sent")
def test_a_run_is_worked_read_again_and_taken_up_without_doubling(sent: Run, model_server: ModelServer) -> None:
    before = list(Verdict.objects.order_by("pk").values()), list(Part.objects.order_by("pk").values())
    assert [verdict["score_first"] for verdict in before[0]] == [1.0, 1.0]
    assert len(before[1]) == 4
    assert reparse.reread(sent, None).changed == 0
    calls = model_server.calls.requests
    sent.jobs.update(state="pending", ended_at=None)
    Run.objects.filter(pk=sent.pk).update(state="running")
    work(sent)
    assert (list(Verdict.objects.order_by("pk").values()), list(Part.objects.order_by("pk").values())) == before
    assert model_server.calls.requests == calls == 2


@pytest.mark.usefixtures("sent")
def test_a_reading_that_comes_out_otherwise_is_counted_by_item(sent: Run) -> None:
    call = Call.objects.filter(job__run=sent).order_by("pk")[0]
    Call.objects.filter(pk=call.pk).update(reply="Something that nobody can read.")
    reread = reparse.reread(sent, None)
    assert (reread.read, reread.failed, reread.changed) == (1, 1, 0)  # its repair was never asked for: it keeps all
    Call.objects.filter(pk=call.pk).update(reply='{"1": "no", "2": "no"}')
    assert reparse.reread(sent, None).items == [call.job.item_id]
    assert Verdict.objects.get(job=call.job).score_first == 0.0


def test_a_judge_is_marked_as_soon_as_its_service_says_that_it_is_no_model(
    model_server: ModelServer, project: Project
) -> None:
    endpoint = make_endpoint(model="simulated-judge", base_url=model_server.base_url, simulated=False)
    made = plan_run(project=project, purpose="judge", endpoint=endpoint, by=None, options={"strategy": "checklist"})
    assert not Judge.objects.get().simulated
    actions.start(made, None, ring=False)
    work(made)
    assert Judge.objects.get().simulated


def test_a_wording_of_a_judge_is_tried_on_a_few_answers(model_server: ModelServer, project: Project) -> None:
    endpoint = make_endpoint(model="simulated-judge", base_url=model_server.base_url, simulated=True)
    key = Key("checklist", "verdicts", "en")
    lead = make_member(project, "lead").user
    text = current(project, key.scope, key.step, key.language).text
    new = write(project, key, text=f"{text}\n\nBe brief.", note="", by=lead, based_on=0, adopted=False)
    old = current(project, key.scope, key.step, key.language)
    trial = trials.begin(project=project, version=new, before=old, endpoint=endpoint, budget=Decimal(1), by=lead)
    for one in Run.objects.filter(project=project):
        work(one)
    found = trials.look(Run.objects.select_related("project", "endpoint").get(pk=trial.pk))
    assert [{part.label: part.after for part in row.parts}["Verdict"] for row in found.rows] == ["1", "1"]
    assert not Verdict.objects.exists()
    assert not Judge.objects.exists()


RAW = RawMessages("mt-bench", "{{ question }}\n\n{{ answer }}", "You are a judge.", "Rating: [[")
EXPLAINED = Key("single", "explained", "en")


def test_raw_messages_are_sent_as_they_stand_and_read_again_from_the_ledger(
    model_server: ModelServer, project: Project
) -> None:
    write(project, EXPLAINED, text=RAW.text(), note="", by=None, based_on=0)
    endpoint = make_endpoint(model="simulated-judge", base_url=model_server.base_url, simulated=True)
    made = plan_run(project=project, purpose="judge", endpoint=endpoint, by=None, options={"strategy": "vanilla"})
    actions.start(made, None, ring=False)
    work(made)
    calls = Call.objects.filter(job__run=made)
    assert calls.count() == 2  # what cannot be read is not asked again
    for call in calls:
        assert "answer" not in call.request
        assert [message["role"] for message in call.request["messages"]] == ["system", "user", "assistant"]
        assert "<data-" not in str(call.request)
    assert set(Verdict.objects.values_list("reading", flat=True)) == {"unparsed"}
    assert Judge.objects.get().not_fenced
    calls.update(reply="7]] because it is so.")
    assert reparse.reread(made, None).changed == 2
    assert set(Verdict.objects.values_list("reading", "score_first")) == {("ok", 7.0)}


def test_raw_messages_are_tried_beside_what_is_shipped(model_server: ModelServer, project: Project) -> None:
    endpoint = make_endpoint(model="simulated-judge", base_url=model_server.base_url, simulated=True)
    lead = make_member(project, "lead").user
    new = write(project, EXPLAINED, text=RAW.text(), note="", by=lead, based_on=0, adopted=False)
    old = current(project, EXPLAINED.scope, EXPLAINED.step, EXPLAINED.language)
    trial = trials.begin(project=project, version=new, before=old, endpoint=endpoint, budget=Decimal(1), by=lead)
    for one in Run.objects.filter(project=project):
        work(one)
    found = trials.look(Run.objects.select_related("project", "endpoint").get(pk=trial.pk))
    assert found.rows
    assert all(row.before.verdict.isdigit() for row in found.rows)
    assert {row.after.verdict for row in found.rows} == {"Not readable"}
    assert not Judge.objects.exists()
