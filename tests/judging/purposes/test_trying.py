"""A judge's prompt tried on a few items, through the engine and the simulated model."""

from decimal import Decimal
from typing import Any

import pytest
from django.test import Client

from annotate.engine import prompts
from annotate.engine.prompts import Key
from annotate.errors import Refused
from annotate.models import Endpoint, Item, Project, PromptVersion, Run
from annotate.prompts import trials
from annotate.prompts.trials import Trial, TrialRow
from annotate.runs.execution import work
from annotate.runs.plan import plan_run
from judging.models import Verdict
from judging.strategies.orders import OrderJudgement, OrderJudgements
from judging.strategies.strategy import Unparsed
from judging.verdicts.judge_options import strategies_for
from tests.support.endpoints import make_endpoint
from tests.support.judged import CORRECTION, MAINTENANCE, answer_of, decided_item
from tests.support.model_server import ModelServer
from tests.support.people import make_member, make_project
from tests.support.studies import drawn, prefers, vote

pytestmark = pytest.mark.django_db
CHECKLIST, PAIR = Key("checklist", "verdicts", "en"), Key("pairwise", "bare", "en")


@pytest.fixture
def endpoint(model_server: ModelServer) -> Endpoint:
    columns = {"base_url": model_server.base_url, "model": "simulated", "simulated": True, "price_in": 1}
    return make_endpoint("sim", **columns)


def answered(items: int = 3, *authors: str, draft: dict[str, Any] = CORRECTION) -> Project:
    project = make_project(slug="fb")
    for number in range(items):
        item = decided_item(project, draft)
        for author in authors or ("A", "B"):
            answer_of(item, author, text=f"{author} says that Mars has two moons, number {number}.")
    return project


def versions(project: Project, key: Key) -> tuple[PromptVersion, PromptVersion]:
    lead = make_member(project, "lead").user
    shipped = prompts.current(project, key.scope, key.step, key.language)
    text = shipped.text + "\n\nBe strict."
    return shipped, prompts.write(project, key, text=text, note="", by=lead, based_on=0, adopted=False)


def begun(project: Project, endpoint: Endpoint, key: Key = CHECKLIST, keys: tuple[str, ...] = ()) -> Run:
    before, version = versions(project, key)
    return trials.begin(
        project=project,
        version=version,
        before=before,
        endpoint=endpoint,
        budget=Decimal(1),
        by=project.members.get().user,
        keys=keys,
    )


def worked(run: Run) -> Trial:
    for pk in (run.options["beside"], run.pk):
        work(Run.objects.get(pk=pk))
    return trials.look(Run.objects.select_related("project", "endpoint").get(pk=run.pk))


def labels(row: TrialRow) -> set[str]:
    return {part.label for part in row.parts}


# --- what comes of it -------------------------------------------------------------------------------------------------
def test_both_verdicts_stand_beside_each_other_and_both_calls_are_counted(endpoint: Endpoint) -> None:
    trial = worked(begun(answered(5), endpoint))
    assert len(trial.rows) == 5
    for row in trial.rows:
        assert row.before.asked
        assert row.after.asked
        assert row.before.verdict
        assert row.after.verdict
        assert (row.before.calls, row.after.calls) == (1, 1)
        assert row.before.cost > 0 < row.after.cost
        assert "Does it say that Mars has two moons?" in labels(row)
    assert not Verdict.objects.exists()


def test_a_row_is_one_answer_and_says_whose(endpoint: Endpoint) -> None:
    trial = worked(begun(answered(1), endpoint))
    assert sorted(row.subject for row in trial.rows) == ["A", "B"]


def test_items_of_either_scenario_are_asked_by_a_checklist(endpoint: Endpoint) -> None:
    """The step has the name of a step of the kind, which is asked about error corrections only."""
    assert len(worked(begun(answered(2, "A", draft=MAINTENANCE), endpoint)).rows) == 2


def test_a_pair_shows_each_order_by_itself(endpoint: Endpoint) -> None:
    (row,) = worked(begun(answered(1), endpoint, PAIR)).rows
    assert row.subject == "A – B"
    assert (row.before.calls, row.after.calls) == (2, 2)
    assert {"Verdict", "Verdict, swapped"} <= labels(row)


def test_every_family_is_tried_or_says_why_not(endpoint: Endpoint) -> None:
    project = answered(1)
    refusals: dict[str, str] = {}
    for strategy in strategies_for(project):
        key = Key(strategy.family, strategy.steps[0], "en")
        try:
            before = prompts.current(project, key.scope, key.step, key.language)
            based_on = prompts.newest_number(project, key)
            lead = make_member(project, "lead").user
            text = before.text + "\n\nBe strict." * (based_on + 1)
            after = prompts.write(project, key, text=text, note="", by=lead, based_on=based_on, adopted=False)
            run = trials.begin(
                project=project, version=after, before=before, endpoint=endpoint, budget=Decimal(1), by=lead
            )
        except Refused as refused:
            refusals[strategy.slug] = str(refused)
            continue
        trial = worked(run)
        assert trial.rows
        assert all(row.after.asked for row in trial.rows), strategy.slug
        assert all(row.after.verdict for row in trial.rows if row.compared), strategy.slug
    assert set(refusals) == {one.slug for one in strategies_for(project) if one.needs_reference}
    assert all("this project has none" in refusal for refusal in refusals.values())


def test_a_wording_is_tried_as_the_last_run_was_asked(endpoint: Endpoint) -> None:
    project = answered(1, "A", "B")
    options = {"strategy": "reference", "reference": "B"}
    plan_run(project=project, purpose="judge", endpoint=endpoint, by=None, options=options)
    trial = worked(begun(project, endpoint, Key("reference", "reference", "en")))
    assert [row.subject for row in trial.rows] == ["A"]
    assert trial.rows[0].after.verdict


def test_an_unreadable_reply_is_shown_as_such() -> None:
    outcome = OrderJudgements([OrderJudgement(Unparsed("No verdict stands in it.", "I would rather not say."))])
    assert outcome.verdict() == "Not readable"
    assert dict(outcome.told()) == {"Not readable": "No verdict stands in it.", "Reply": "I would rather not say."}


# --- what people said -------------------------------------------------------------------------------------------------
def test_what_people_prefer_is_shown_with_whether_each_wording_agrees(endpoint: Endpoint) -> None:
    project = answered(1)
    study = drawn(project, items=1, authors=("A", "B"))
    voter = make_member(study.project)
    vote(voter, prefers("tie"))
    (row,) = worked(begun(project, endpoint, PAIR)).rows
    assert row.people == "Equal (1 of 1)"
    assert row.before.agrees in (True, False)
    assert row.after.agrees in (True, False)


def test_items_that_people_have_labelled_come_first(endpoint: Endpoint) -> None:
    project = answered(8)
    study = drawn(project, items=1, authors=("A", "B"))
    voter = make_member(study.project)
    labelled = vote(voter, prefers("tie")).item.ballot.first.item
    assert begun(project, endpoint, PAIR).jobs.filter(item=labelled).exists()


# --- which items ------------------------------------------------------------------------------------------------------
def test_five_items_are_mixed_over_items_groups_and_authors(endpoint: Endpoint) -> None:
    project = answered(8)
    few = list(project.items.order_by("-pk")[:2])
    Item.objects.filter(pk__in=[item.pk for item in few]).update(group="rare")
    jobs = list(begun(project, endpoint).jobs.select_related("item"))
    assert len({job.item_id for job in jobs}) == 5
    assert {job.item.group for job in jobs if job.item} == {"", "rare"}
    trial_authors = {row.subject for row in worked(Run.objects.get(pk=jobs[0].run_id)).rows}
    assert trial_authors == {"A", "B"}


def test_a_lead_may_name_the_items(endpoint: Endpoint) -> None:
    project = answered(8)
    keys = tuple(project.items.order_by("-pk").values_list("key", flat=True)[:2])
    run = begun(project, endpoint, keys=keys)
    assert set(run.jobs.values_list("item__key", flat=True)) == set(keys)
    assert run.jobs.count() == 2


def test_items_that_cannot_be_tried_are_named(endpoint: Endpoint) -> None:
    project = answered(2)
    key = project.items.values_list("key", flat=True)[0]
    with pytest.raises(Refused, match="nowhere"):
        begun(project, endpoint, keys=(key, "nowhere"))
    assert not Run.objects.exists()


def test_why_nothing_can_be_tried_is_said(endpoint: Endpoint) -> None:
    project = make_project(slug="fb")
    decided_item(project, CORRECTION)
    with pytest.raises(Refused, match="No answers to judge"):
        begun(project, endpoint)


# --- the page ---------------------------------------------------------------------------------------------------------
def test_the_page_shows_verdicts_of_both_wordings_and_people(client: Client, endpoint: Endpoint) -> None:
    project = answered(1)
    voter = make_member(drawn(project, items=1, authors=("A", "B")).project)
    vote(voter, prefers("tie"))
    run = begun(project, endpoint, PAIR)
    worked(run)
    client.force_login(project.members.get().user)
    page = client.get(f"/p/fb/prompts/trials/{run.pk}/").content.decode()
    assert "No output for this prompt on this item" not in page
    assert "Human answer: Equal (1 of 1)" in page
    assert "agrees with people" in page or "differs from people" in page
    assert "A – B" in page


def test_the_form_takes_keys(client: Client, endpoint: Endpoint) -> None:
    project = answered(3)
    versions(project, CHECKLIST)
    client.force_login(project.members.get().user)
    key = project.items.values_list("key", flat=True)[0]
    form = {"version": "1", "before": "s1", "endpoint": "sim", "budget": "1", "keys": f" {key} ,"}
    answer = client.post("/p/fb/prompts/checklist.verdicts.en/try/", form)
    assert answer.status_code == 302
    assert list(Run.objects.order_by("-pk")[0].jobs.values_list("item__key", flat=True)) == [key]
