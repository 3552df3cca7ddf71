import json
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotate.engine.purposes import purposes
from annotate.models import Endpoint, Item, Job, Project, Run
from judging.answers.cases import case_of
from judging.boards.judge_settings.numbers import crossed, sampled_runs
from judging.models import Verdict
from judging.verdicts.subjects import sample_of
from tests.support.judged import answer_of
from tests.support.model_server import ModelServer
from tests.support.runs import make_endpoint
from tests.support.use_cases import decided_case, use_case_project

pytestmark = pytest.mark.django_db
MET, LEFT = "I have taken “{}” into account and settled it.", "I leave “{}” as it stood before."
WORTH = {"ref-a": 3, "ref-b": 2, "good": 3, "fair": 2, "poor": 1}  # demands met of four


@pytest.fixture
def project() -> Project:
    return use_case_project(slug="urs")


def answered(project: Project, cases: int = 12) -> list[Item]:
    items = [decided_case(project, ("Leisure", "API")[number % 2]) for number in range(cases)]
    for item in items:
        for author, met in WORTH.items():
            told = [(MET if place < met else LEFT).format(f"{item.key} {place}") for place in range(4)]
            answer_of(item, author, text=" ".join(told))
        answer_of(item, "good", sample=2)  # never judged here
    return items


def judge(name: str, base_url: str = "http://127.0.0.1:9/v1") -> Endpoint:
    return make_endpoint(name=name, model=name, base_url=base_url, simulated=True)


def planned(capsys: pytest.CaptureFixture[str], *words: str, items: int = 8, seed: int = 7) -> dict[str, Any]:
    given = ("--items", str(items), "--seed", str(seed), "--authors", "good,fair,poor", "--json")
    call_command("judge_settings", "urs", *words, *given)
    return dict(json.loads(capsys.readouterr().out))


def settings_of(*pairs: str) -> list[str]:
    return [word for pair in pairs for word in ("--setting", pair)]


def reported(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    call_command("report", "urs", "judge_settings", "--json", *words)
    return dict(json.loads(capsys.readouterr().out))


def test_five_settings_judge_the_same_cases(
    project: Project, model_server: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    answered(project)
    for name in ("simulated-judge", "simulated-judge-lenient", "simulated-judge-severe"):
        judge(name, model_server.base_url)
    pairs = [f"simulated-judge{kind}:ref-{which}" for kind in ("", "-lenient") for which in "ab"]
    made = planned(capsys, *settings_of(*pairs, "simulated-judge-severe:ref-a"), "--wait")
    assert [(run["jobs"], run["done"]) for run in made["runs"]] == [(24, 24)] * 5
    found = reported(capsys)
    assert found["sample"] == {"seed": 7, "cases": 8}
    assert [(told["judge"], told["reference"], told["n"]) for told in found["settings"]][:2] == [
        ("simulated-judge", "ref-a", 24),
        ("simulated-judge", "ref-b", 24),
    ]
    means = {(row["run"], row["author"], row["intent"]): row["mean"] for row in found["rows"]}
    first, second = (told["run"] for told in found["settings"][:2])
    # Each demand of four is worth 9 / 4 points beside the reference worth 8: beside ref-a, which meets three, "poor"
    # loses round(4.5) = 4; beside ref-b, which meets two, "good" gains round(2.25) = 2 and "fair" stands on 8.
    assert (means[first, "good", "all"], means[first, "poor", "all"]) == (8.0, 4.0)
    assert (means[second, "good", "all"], means[second, "fair", "all"]) == (10.0, 8.0)
    assert {author for _run, author, _intent in means} == {"good", "fair", "poor"}
    assert {intent for _run, _author, intent in means} <= {"all", "Leisure", "API"}
    assert len(found["correlations"]) == 10
    assert found["correlations"][0]["spearman"] == 1.0
    assert found["correlations"][0]["authors"] == 3
    differences = {(*row["runs"], row["author"]): row["difference"] for row in found["differences"]}
    assert differences[first, second, "fair"] == 2.0
    last = found["settings"][4]["run"]
    assert differences[first, last, "all"] < 0  # the severe judge
    assert len({run.judge_run.judge_id for run in Run.objects.all()}) == 5  # as many judges, none of them the usual one


def test_the_same_seed_draws_the_same_cases_and_the_runs_keep_them(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    answered(project)
    judge("one")
    for seed in (7, 7, 8):
        planned(capsys, *settings_of("one:ref-a", "one:ref-b"), seed=seed)
    samples = [sample_of(run) for run in Run.objects.order_by("pk")]
    assert [(one.seed, one.size, len(one.items)) for one in samples if one] == [(7, 8, 8)] * 4 + [(8, 8, 8)] * 2
    cases = [tuple(one.items) for one in samples if one]
    assert len(set(cases[:4])) == 1
    assert cases[4] != cases[0]
    jobs = Job.objects.filter(run=Run.objects.earliest("pk"))
    assert set(jobs.values_list("item", flat=True)) == set(cases[0])
    assert len({one.name for one in samples if one}) == 3


def test_a_plan_that_a_worker_makes_again_takes_the_same_cases(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    answered(project)
    judge("one")
    planned(capsys, *settings_of("one:ref-a", "one:ref-b"))
    run = Run.objects.earliest("pk")
    answered(project, 5)
    again = {one.subject for one in purposes()["judge"].plan(run)}
    assert again == set(run.jobs.values_list("subject", flat=True))


def test_cases_that_somebody_has_not_answered_are_not_drawn(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    items = answered(project, 3)
    items[0].answers.filter(author__name="ref-b").delete()
    judge("one")
    with pytest.raises(CommandError, match="2 cases have answers from all authors"):
        planned(capsys, *settings_of("one:ref-a", "one:ref-b"), items=3)
    planned(capsys, *settings_of("one:ref-a", "one:ref-b"), items=2)
    sample = sample_of(Run.objects.earliest("pk"))
    assert sample is not None
    assert list(sample.items) == [items[1].pk, items[2].pk]


@pytest.mark.parametrize(
    ("pairs", "why"),
    [
        (["one:ref-a"], "from two to five"),
        (["one:ref-a"] * 2, "Two settings are the same"),
        (["one:ref-a", "one:nobody"], "There is no author “nobody”"),
        (["one:ref-a", "two:ref-a"], "There is no endpoint 'two'"),
        (["one:ref-a", "one"], "write ENDPOINT:REFERENCE"),
    ],
)
def test_what_is_no_comparison_is_refused_and_leaves_nothing(
    project: Project, capsys: pytest.CaptureFixture[str], pairs: list[str], why: str
) -> None:
    answered(project, 8)
    judge("one")
    with pytest.raises(CommandError, match=why):
        planned(capsys, *settings_of(*pairs))
    assert not Run.objects.exists()


def test_settings_over_different_cases_are_refused(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    answered(project)
    judge("one")
    for seed in (1, 2):
        planned(capsys, *settings_of("one:ref-a", "one:ref-b"), seed=seed)
    first, _second, third, _fourth = Run.objects.order_by("pk").values_list("pk", flat=True)
    with pytest.raises(CommandError, match=f"Runs {first} and {third} use different cases"):
        reported(capsys, "--runs", f"{first},{third}")
    whole = Run.objects.create(project=project, purpose="judge", endpoint=Endpoint.objects.get(), options={})
    with pytest.raises(CommandError, match="covers all cases"):
        reported(capsys, "--runs", f"{first},{whole.pk}")
    with pytest.raises(CommandError, match="is not a judging run of this project"):
        reported(capsys, "--runs", "99999,1")


def test_what_cannot_be_read_or_is_outdated_is_counted_and_left_out(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    items = answered(project, 3)
    judge("one")
    planned(capsys, *settings_of("one:ref-a", "one:ref-b"), items=3)
    scored(Run.objects.all())
    run = Run.objects.earliest("pk")
    Verdict.objects.filter(job__run=run, item=items[0], first__author__name="good").update(
        reading="unparsed", score_first=None
    )
    Verdict.objects.filter(job__run=run, item=items[1], first__author__name="good").update(case_sha="0" * 64)
    told, other = reported(capsys)["settings"]
    assert (told["n"], told["unread"], told["outdated"]) == (7, 1, 1)
    assert other["n"] == 9
    compared = {row["author"]: row["n"] for row in reported(capsys)["differences"]}
    assert compared == {"good": 1, "fair": 3, "poor": 3, "all": 7}


def scored(runs: Any) -> None:
    """A verdict for every job, without a model."""
    for job in Job.objects.filter(run__in=runs).select_related("run", "item__base", "item__project"):
        assert job.item is not None
        case = case_of(job.item)
        assert case is not None
        answer = int(job.subject.split("/")[1])
        columns = {"judge_id": job.run.judge_run.judge_id, "item": job.item, "first_id": answer, "job": job}
        Verdict.objects.create(case_sha=case.judged.sha256, score_first=float(answer % 7 + 2), **columns)
        Job.objects.filter(pk=job.pk).update(state="done")


def test_as_many_queries_for_many_runs(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    answered(project, 6)
    judge("one")
    judge("two")
    counts = []
    for pairs in (["one:ref-a", "one:ref-b"], ["one:ref-a", "one:ref-b", "two:ref-a", "two:ref-b"]):
        planned(capsys, *settings_of(*pairs), items=6)
        scored(sampled_runs(project)[0])
        with CaptureQueriesContext(connection) as queries:
            crossed(project, sampled_runs(project)[0])
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 7
