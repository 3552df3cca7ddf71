"""Criteria and guidelines are asked for once per query: what is sent, and what older runs meant."""

import json
from collections import Counter
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command

from annotate.models import Call, Project, Run
from annotate.runs.reparse import reread
from judging.models import Judge, Verdict
from judging.verdicts.judge_options import options_of
from tests.support.branched import branching_project, decided_pair
from tests.support.model_server import ModelServer
from tests.support.runs import make_endpoint

pytestmark = pytest.mark.django_db
PAIRS, CRITERIA = 10, 5


@pytest.fixture
def project(db: None) -> Project:
    return branching_project(slug="trees")


def told(*words: str) -> dict[str, Any]:
    out = StringIO()
    call_command(*words, "--json", stdout=out)
    return dict(json.loads(out.getvalue()))


def judged(project: Project, server: ModelServer, *more: str, strategy: str = "branching") -> Run:
    if not project.runs.exists():
        make_endpoint(name="sim", model="simulated-judge", base_url=server.base_url, simulated=True)
    asked = told("judge", "trees", "--strategy", strategy, "--endpoint", "sim", "--wait", *more)
    assert (asked["failed"], asked["unparsed"]) == (0, 0)
    return Run.objects.get(pk=asked["run"])


def steps(run: Run) -> Counter[str]:
    """The step's prompt -> calls."""
    names = Call.objects.filter(job__run=run).values_list("step", flat=True)
    return Counter(name.replace("/swapped", "").split("/")[2] for name in names)


def criteria_of(run: Run) -> list[list[str]]:
    """For each pair, how the criteria of its orders are called."""
    found: dict[int, list[list[str]]] = {}
    for verdict in Verdict.objects.filter(job__run=run).order_by("job", "swapped"):
        found.setdefault(verdict.job_id or 0, []).append([part.label for part in verdict.parts.order_by("axis")])
    return [names for orders in found.values() for names in orders]


@pytest.mark.slow
def test_ten_pairs_ask_for_criteria_ten_times_and_for_guidelines_fifty_times(
    project: Project, model_server: ModelServer
) -> None:
    for _no in range(PAIRS):
        decided_pair(project)
    shared = judged(project, model_server)
    # Criteria 10, guidelines 10 x 5, judgements 10 x 5 x 2 orders.
    assert steps(shared) == {"criteria": 10, "guideline": 50, "pair": 100}
    assert shared.options["sharing"] == "shared"
    straight = criteria_of(shared)
    assert straight[::2] == straight[1::2], "both orders were judged by the same criteria"
    apart = judged(project, model_server, "--option", "sharing=apart")
    assert steps(apart) == {"criteria": 20, "guideline": 100, "pair": 100}
    assert apart.options["sharing"] == "apart"
    variants = Judge.objects.filter(project=project, strategy="branching").values_list("variant", flat=True)
    assert sorted(variants) == ["n=5 criteria=shared scale=5-25", "n=5 scale=5-25"], "they are different judges"


@pytest.mark.slow
def test_answers_to_one_query_share_its_criteria_at_any_temperature(
    project: Project, model_server: ModelServer
) -> None:
    decided_pair(project)
    run = judged(project, model_server, "--temperature", "0.7", strategy="branching-single")
    assert steps(run) == {"criteria": 1, "guideline": 5, "single": 10}


@pytest.mark.slow
@pytest.mark.parametrize("parameters", [(), ("--temperature", "0.7")], ids=["plain", "warm"])
def test_what_was_shared_is_found_when_the_run_is_read_again(
    project: Project, model_server: ModelServer, parameters: tuple[str, ...]
) -> None:
    decided_pair(project)
    run = judged(project, model_server, *parameters)
    before = criteria_of(run)
    calls = Call.objects.count()
    found = reread(run, None)
    assert (found.read, found.changed) == (1, 0)
    assert (criteria_of(run), Call.objects.count()) == (before, calls)


def test_a_run_names_how_its_criteria_are_shared(project: Project) -> None:
    assert options_of(Run(options={"strategy": "branching"})).own.sharing == "shared"
    assert options_of(Run(options={"strategy": "branching", "sharing": "apart"})).own.sharing == "apart"
    assert options_of(Run(options={"strategy": "checklist", "sharing": "apart"})).strategy.slug == "checklist"
