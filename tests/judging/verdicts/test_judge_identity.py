"""A judge is one wording: what its verdicts depend on makes it, and nothing else."""

from typing import Any

import pytest

from annotate.engine.purposes import purposes
from annotate.models import Call, Endpoint, Job, Project, Run
from judging.models import Judge, JudgeRun
from judging.verdicts.judge_identity import FORMAT, identity_of, judge_at_storing, judges_from_files
from judging.verdicts.judge_options import options_of
from judging.verdicts.judges import judge_numbered, judges_called, newest_choices, rows
from tests.support.judged import CORRECTION, answer_of, decided_item
from tests.support.people import make_project
from tests.support.runs import make_endpoint, make_run

pytestmark = pytest.mark.django_db
JUDGE = purposes()["judge"]


@pytest.fixture
def project() -> Project:
    made = make_project()
    answer_of(decided_item(made, CORRECTION), "A")
    return made


@pytest.fixture
def endpoint() -> Endpoint:
    return make_endpoint(base_url="https://one.example/v1")


def planned(project: Project, endpoint: Endpoint, *, parameters: dict[str, Any] | None = None, **options: Any) -> Run:
    asked = {"strategy": "checklist"} | options
    run = make_run(project, purpose="judge", options=asked, endpoint=endpoint, parameters=parameters or {})
    list(JUDGE.plan(run))
    return run


def judge_of(run: Run) -> Judge:
    return JudgeRun.objects.get(run=run).judge


def replied(run: Run, **sent: Any) -> list[Job]:
    """A job of the run with a reply that was asked for in this way."""
    job = Job.objects.create(run=run, subject=f"answer/{run.jobs.count() + 1}", state="done")
    Call.objects.create(job=job, step="judge/1", attempt=1, digest="d", request={}, cause="", sent=sent)
    return [job]


def schema(run: Run) -> list[Job]:
    return replied(run, response_format="json_schema", temperature=0.0)


def test_equal_runs_have_one_judge(project: Project, endpoint: Endpoint) -> None:
    first, second = planned(project, endpoint), planned(project, endpoint)
    assert judge_of(first) == judge_of(second)
    assert str(judge_of(first)) == f"{endpoint.model} · checklist"


@pytest.mark.parametrize(
    "change",
    [
        {"parameters": {"temperature": 0.7}},
        {"endpoint": {"base_url": "https://two.example/v1"}},
        {"endpoint": {"seed": 7}},
        {"prompt": True},
    ],
    ids=["parameter of the run", "service", "parameter of the endpoint", "wording"],
)
def test_whatever_verdicts_depend_on_makes_another_version(
    project: Project, endpoint: Endpoint, change: dict[str, Any]
) -> None:
    first = judge_of(planned(project, endpoint))
    for name, value in change.get("endpoint", {}).items():
        setattr(endpoint, name, value)
    endpoint.save()
    run = make_run(
        project,
        purpose="judge",
        options={"strategy": "checklist"},
        endpoint=endpoint,
        parameters=change.get("parameters", {}),
    )
    if change.get("prompt"):
        run.prompts.set([worded(project)])
    list(JUDGE.plan(run))
    second = judge_of(run)
    assert (second.version, second.name, second.variant) == (2, first.name, first.variant)
    assert str(second) == f"{first} · v2"
    assert second.fingerprint != first.fingerprint


def worded(project: Project) -> Any:
    return project.prompts.create(
        scope="checklist", step="verdicts", language="en", number=1, text="Judge it.", sha256="ab" * 32
    )


@pytest.mark.parametrize("options", [{"repeats": 3}, {"authors": ["A"]}])
def test_what_is_judged_and_how_often_does_not(project: Project, endpoint: Endpoint, options: dict[str, Any]) -> None:
    assert judge_of(planned(project, endpoint)) == judge_of(planned(project, endpoint, **options))


def test_the_format_of_replies_completes_the_identity(project: Project, endpoint: Endpoint) -> None:
    run = planned(project, endpoint)
    judge = judge_of(run)
    assert FORMAT not in judge.identity
    assert judge_at_storing(run, schema(run)) == judge.pk
    judge.refresh_from_db()
    assert judge.identity == identity_of(run, options_of(run)) | {FORMAT: "json_schema"}
    again = planned(project, endpoint)
    assert judge_of(again) == judge
    assert judge_at_storing(again, schema(again)) == judge.pk


def test_a_service_that_no_longer_takes_schemas_is_another_version(project: Project, endpoint: Endpoint) -> None:
    run, later = planned(project, endpoint), planned(project, endpoint)
    first = judge_at_storing(run, schema(run))
    second = judge_at_storing(later, replied(later, response_format="json_object"))
    assert [first, second] == list(Judge.objects.order_by("version").values_list("pk", flat=True))
    assert judge_of(later).pk == second
    third = planned(project, endpoint)
    assert judge_at_storing(third, schema(third)) == first


def test_a_format_is_asked_for_once_a_run(project: Project, endpoint: Endpoint) -> None:
    run = planned(project, endpoint)
    first = judge_at_storing(run, schema(run))
    assert judge_at_storing(run, replied(run, temperature=0.0)) == first
    assert Judge.objects.count() == 1


def test_without_a_reply_of_its_own_the_format_stays_open(project: Project, endpoint: Endpoint) -> None:
    run = planned(project, endpoint)
    job = Job.objects.create(run=run, subject="answer/1", state="done")
    assert judge_at_storing(run, [job]) == judge_of(run).pk
    assert not JudgeRun.objects.get(run=run).format_known
    assert judge_at_storing(run, replied(run)) == judge_of(run).pk
    assert judge_of(run).identity[FORMAT] == "text"


def test_another_worker_may_have_settled_it(project: Project, endpoint: Endpoint) -> None:
    run = planned(project, endpoint)
    other = Run.objects.select_related("judge_run").get(pk=run.pk)
    assert not other.judge_run.format_known
    settled = judge_at_storing(run, schema(run))
    assert judge_at_storing(other, replied(other, response_format="json_object")) == settled


def test_a_file_and_a_run_of_one_name_are_two_judges(project: Project, endpoint: Endpoint) -> None:
    key = (endpoint.model, "checklist", "")
    asked = judge_of(planned(project, endpoint))
    imported = judges_from_files(project, [key])[key]
    assert (imported.version, imported.identity) == (2, {})
    assert judges_from_files(project, [key])[key] == imported != asked


def test_the_list_says_what_a_version_changed(project: Project, endpoint: Endpoint) -> None:
    planned(project, endpoint)
    planned(project, endpoint, parameters={"temperature": 0.7})
    assert {row.judge.version: list(row.changed) for row in rows(project)} == {1: [], 2: ["parameters temperature"]}


def test_the_scale_of_a_judge_is_a_column(project: Project) -> None:
    keys = [("m", "vanilla", "scale=1-10 texts=generic"), ("m", "checklist", "")]
    judges = judges_from_files(project, keys)
    assert [(judges[key].scale_low, judges[key].scale_top) for key in keys] == [(1, 10), (None, None)]


def versions(project: Project) -> list[Judge]:
    """Two versions of one judge, and another judge of the same model."""
    rows = [("checklist", 1), ("checklist", 2), ("vanilla", 1)]
    return [
        Judge.objects.create(project=project, name="m", strategy=strategy, version=version, fingerprint=f"{n}")
        for n, (strategy, version) in enumerate(rows)
    ]


def test_a_name_means_one_version_and_a_model_the_newest(project: Project) -> None:
    first, second, other = judges = versions(project)
    assert judges_called(judges, "m · checklist") == [first]
    assert judges_called(judges, "m · checklist · v2") == [second]
    assert judges_called(judges, "m · checklist · newest") == [second]
    assert judges_called(judges, "m") == [second, other]
    assert judges_called(judges[:2], "m") == [second]
    assert judges_called(judges, "n") == []


def test_an_address_may_follow_the_newest_version(project: Project) -> None:
    first, second, other = judges = versions(project)
    assert judge_numbered(judges, str(first.pk)) == first
    assert judge_numbered(judges, f"newest-{first.pk}") == judge_numbered(judges, f"newest-{second.pk}") == second
    assert [judge_numbered(judges, word) for word in ("", "x", "newest-", "newest-99999")] == [None] * 4
    assert newest_choices(judges) == [(f"newest-{second.pk}", "m · checklist · newest version")]
    assert newest_choices([first, other]) == []
