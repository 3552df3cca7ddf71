"""All ways of asking, over eight categories of perturbations, by a careful and a careless judge: plan to report."""

import json
from collections import Counter
from io import StringIO

import pytest
from django.core.management import call_command

from annotate.models import Endpoint, Job, Project, Run
from annotate.runs import actions
from annotate.runs.execution import progress, work
from annotate.runs.plan import plan_run
from judging.models import Judge, Verdict
from judging.strategies.strategy import strategies
from tests.support.model_server import ModelServer
from tests.support.perturbations import perturbation_project, perturbed_item, spoiled_pairs
from tests.support.runs import make_endpoint

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
SINGLE = ["vanilla-star", "vanilla", "rubric", "axis", "axis-rubric"]
PAIRWISE = ["pairwise-star", "pairwise", "pairwise-rules", "pairwise-axis", "pairwise-axis-rules"]
ELEVEN = [*SINGLE, *PAIRWISE, "reference"]
PAIRS, CONTROLS, GOLD_TEXTS = 64, 8, 16
ABILITIES = 3 * 8 + 2 * 8  # of pens: reasoning, long-form, instruction-following; of Mars: factual, score-invariant
CALLS = {
    **dict.fromkeys(SINGLE, PAIRS + GOLD_TEXTS),
    **dict.fromkeys(["axis", "axis-rubric"], PAIRS + ABILITIES),
    **dict.fromkeys(PAIRWISE, 2 * PAIRS),
    "reference": PAIRS,
}


@pytest.fixture
def project() -> Project:
    made = perturbation_project()
    for spoiled in spoiled_pairs(8):
        perturbed_item(made, spoiled)
    return made


def judged(project: Project, strategy: str, endpoint: Endpoint) -> Run:
    options = {"strategy": strategy} | ({"reference": "gold"} if strategies()[strategy].needs_reference else {})
    options |= {"pairs": "gold-perturbed"} if strategies()[strategy].pairwise else {}
    made = plan_run(project=project, purpose="judge", endpoint=endpoint, by=None, options=options)
    actions.start(made, None, ring=False)
    work(made)
    made.refresh_from_db()
    return made


def undetected(project: Project) -> dict[tuple[str, str], int]:
    """(judge, strategy) -> perturbations that nobody minded, of those that a judge should mind."""
    out = StringIO()
    call_command("report", project.slug, "blindspots", "--json", stdout=out)
    found: Counter[tuple[str, str]] = Counter()
    for row in json.loads(out.getvalue())["rows"]:
        if row["ability"] != "score-invariant":
            assert row["n"] == 8, row
            found[row["judge"], row["strategy"].split(" ")[0]] += row["undetected"]
    return dict(found)


def test_every_strategy_ends_with_a_verdict_or_its_cause_and_the_careful_judge_has_fewer_blind_spots(
    project: Project, model_server: ModelServer
) -> None:
    assert len(strategies()) >= len(ELEVEN)
    for model in ("simulated-careful", "simulated-careless"):
        endpoint = make_endpoint(model=model, base_url=model_server.base_url, simulated=True, attempts=1)
        for strategy in ELEVEN:
            made = judged(project, strategy, endpoint)
            found = progress(made)
            assert (made.state, found.failed, found.calls) == ("finished", 0, CALLS[strategy]), strategy
            assert Verdict.objects.filter(job__run=made, reading="ok").count() == CALLS[strategy]
    assert Judge.objects.count() == 22
    found_ = undetected(project)
    assert len(found_) == 22
    for strategy in ELEVEN:
        careful, careless = found_["simulated-careful", strategy], found_["simulated-careless", strategy]
        assert careful < careless, strategy
        assert careful <= (PAIRS - CONTROLS) // 8, strategy


def test_what_a_misbehaving_judge_says_is_unparsed_or_failed_with_its_cause(
    project: Project, model_server: ModelServer
) -> None:
    endpoint = make_endpoint(model="simulated-careful", base_url=model_server.base_url, simulated=True, attempts=1)
    for strategy in ELEVEN:
        for what in ("prose", "wrong_types", "truncates", "filters", "server_error"):
            model_server.misbehave(what, times=1)
        made = judged(project, strategy, endpoint)
        found = progress(made)
        assert (made.state, found.failed) == ("finished", 2), strategy
        assert set(made.jobs.filter(state=Job.State.FAILED).values_list("cause", flat=True)) == {
            "filtered",
            "server_error",
        }
        readings = Counter(Verdict.objects.filter(job__run=made).values_list("reading", flat=True))
        assert readings["unparsed"] == 3, strategy
        assert not Verdict.objects.filter(job__run=made, reading="unparsed", reason="").exists()
        assert (
            Verdict.objects.filter(job__run=made).exclude(reading="ok").exclude(score_first=None, choice="").count()
            == 0
        )
