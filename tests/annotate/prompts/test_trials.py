"""A wording tried on items beside another one, through the engine and the simulated model."""

from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotate.engine import prompts
from annotate.engine.prompts import Key
from annotate.engine.purposes import purposes
from annotate.errors import Refused
from annotate.models import Annotation, Endpoint, Item, PromptVersion, Run
from annotate.prompts import trials as prompt_trials
from annotate.prompts.trials import Trial, TrialPart
from annotate.purposes.trying import SLUG
from annotate.runs.execution import work
from annotate.runs.plan import plan_run
from tests.support.endpoints import make_endpoint
from tests.support.model_server import ModelServer
from tests.support.reviews import FACTS, Case, make_case

pytestmark = pytest.mark.django_db
CHECKLIST = Key("feedback", "checklist", "en")
CLASSIFY = Key("feedback", "classify", "en")
MAINTENANCE = {**FACTS, "bench_type": "Response Maintenance"}


@pytest.fixture
def case() -> Case:
    return make_case()


@pytest.fixture
def endpoint(model_server: ModelServer) -> Endpoint:
    columns = {
        "base_url": model_server.base_url,
        "model": "simulated",
        "simulated": True,
        "price_in": 1,
        "price_out": 1,
    }
    return make_endpoint("sim", **columns)


def items(case: Case, count: int, **columns: Any) -> list[Item]:
    given = {"facts": FACTS, "language": "en", "state": Item.State.READY} | columns
    made = range(case.project.items.count(), case.project.items.count() + count)
    return [
        Item.objects.create(project=case.project, key=f"i-{n}", title=f"Item {n}", content_hash=str(n), **given)
        for n in made
    ]


def versions(case: Case, key: Key = CHECKLIST) -> tuple[PromptVersion, PromptVersion]:
    """The shipped wording, and another one that is only tried."""
    shipped = prompts.current(case.project, key.scope, key.step, key.language)
    based_on = prompts.newest_number(case.project, key)
    other = shipped.text + "\n\nBe strict." * (based_on + 1)
    tried = prompts.write(case.project, key, text=other, note="", by=case.lead, based_on=based_on, adopted=False)
    return shipped, tried


def begin(case: Case, endpoint: Endpoint, key: Key = CHECKLIST) -> Run:
    before, version = versions(case, key)
    return prompt_trials.begin(
        project=case.project, version=version, before=before, endpoint=endpoint, budget=Decimal(1), by=case.lead
    )


def worked(run: Run) -> Trial:
    for pk in (run.options["beside"], run.pk):
        work(Run.objects.get(pk=pk))
    return prompt_trials.look(Run.objects.select_related("project", "endpoint").get(pk=run.pk))


def told(run: Run, step: str = "checklist") -> str:
    return prompts.of_run(run).text(step, "en")


# --- beginning --------------------------------------------------------------------------------------------------------
def test_two_runs_take_the_same_five_items_and_differ_in_one_wording(case: Case, endpoint: Endpoint) -> None:
    items(case, 8)
    new = begin(case, endpoint)
    old = Run.objects.get(pk=new.options["beside"])
    subjects = [list(run.jobs.order_by("pk").values_list("subject", "item")) for run in (old, new)]
    assert subjects[0] == subjects[1]
    assert len(subjects[0]) == prompt_trials.ITEMS
    assert (told(new), told(old)) == (told(old) + "\n\nBe strict.", told(old))
    assert told(new, "reference") == told(old, "reference")
    assert {run.state for run in (old, new)} == {Run.State.RUNNING}
    assert {run.budget for run in (old, new)} == {Decimal(1)}


def test_items_are_those_that_the_step_is_asked_about(case: Case, endpoint: Endpoint) -> None:
    items(case, 3, facts=MAINTENANCE)
    items(case, 2, language="zh")
    wanted = items(case, 2)
    items(case, 1, facts={"broken": True})
    assert set(begin(case, endpoint).jobs.values_list("item", flat=True)) == {item.pk for item in wanted}


def test_english_is_tried_where_no_other_wording_is_there(case: Case, endpoint: Endpoint) -> None:
    (wanted,) = items(case, 1, language="fr")
    assert begin(case, endpoint).jobs.get().item == wanted


def test_accepted_items_can_be_tried_with_and_dropped_ones_not(case: Case, endpoint: Endpoint) -> None:
    (accepted,) = items(case, 1, state=Item.State.ACCEPTED)
    items(case, 1, state=Item.State.DROPPED, drop_reason="other")
    assert begin(case, endpoint).jobs.get().item == accepted


def test_without_such_an_item_nothing_is_planned(case: Case, endpoint: Endpoint) -> None:
    items(case, 1, facts=MAINTENANCE)
    with pytest.raises(Refused, match="No item uses this step"):
        begin(case, endpoint)
    assert not Run.objects.exists()


def test_a_retired_endpoint_is_refused(case: Case, endpoint: Endpoint) -> None:
    items(case, 1)
    endpoint.retired_at = endpoint.created_at
    with pytest.raises(Refused, match="retired"):
        begin(case, endpoint)
    assert not Run.objects.exists()


def test_a_prompt_that_no_run_uses_cannot_be_tried(case: Case) -> None:
    with pytest.raises(Refused, match="step “nothing”"):
        prompt_trials.used_by(case.project, Key("feedback", "nothing", "en"))
    assert prompt_trials.used_by(case.project, CHECKLIST) == {"purpose": "preannotate"}
    assert prompt_trials.used_by(case.project, CLASSIFY) == {"purpose": "classify"}


def test_trying_is_not_offered_among_the_purposes_of_runs() -> None:
    assert not purposes()[SLUG].offered


# --- what comes of it -------------------------------------------------------------------------------------------------
def test_both_outcomes_stand_beside_each_other_and_nothing_is_suggested(
    case: Case, endpoint: Endpoint, model_server: ModelServer
) -> None:
    items(case, 2)
    trial = worked(begin(case, endpoint))
    assert trial.ended
    assert [row.item.key for row in trial.rows] == ["i-0", "i-1"]
    assert all(row.compared and row.before.asked and row.after.asked for row in trial.rows)
    labels = {part.label for row in trial.rows for part in row.parts}
    assert {"Feedback", "Checklist", "Reference answer to the question"} <= labels
    assert all(side.calls == 5 and side.cost > 0 for row in trial.rows for side in (row.before, row.after))
    assert model_server.calls.requests == 2 * 2 * 5
    assert not Annotation.objects.exists()
    assert set(Item.objects.values_list("state", flat=True)) == {Item.State.READY}


def test_looking_sends_nothing(case: Case, endpoint: Endpoint, model_server: ModelServer) -> None:
    items(case, 1)
    run = worked(begin(case, endpoint)).run
    before = model_server.calls.requests
    prompt_trials.look(run)
    assert model_server.calls.requests == before


def test_classification_is_tried_too(case: Case, endpoint: Endpoint) -> None:
    items(case, 1)
    (row,) = worked(begin(case, endpoint, CLASSIFY)).rows
    assert [part.label for part in row.parts] == ["Label"]


def test_candidates_are_shown_one_by_one(case: Case, endpoint: Endpoint) -> None:
    items(case, 1, facts=MAINTENANCE)
    (row,) = worked(begin(case, endpoint, Key("feedback", "candidates", "en"))).rows
    assert row.before.asked
    assert sum(part.label.startswith("Simple Questioning") for part in row.parts) >= 1


def test_failures_are_told_by_cause(case: Case, endpoint: Endpoint, model_server: ModelServer) -> None:
    items(case, 2)
    run = begin(case, endpoint)
    work(Run.objects.get(pk=run.options["beside"]))
    model_server.turn(key="another")
    trial = worked_second(run)
    assert trial.failures == [("key refused", 0, 2)]
    assert not any(row.compared for row in trial.rows)
    assert all(part.before and not part.after for part in trial.rows[0].alone)
    assert not trial.rows[0].changed


def worked_second(run: Run) -> Trial:
    work(Run.objects.get(pk=run.pk))
    return prompt_trials.look(Run.objects.select_related("project", "endpoint").get(pk=run.pk))


def test_what_is_still_to_come_is_counted(case: Case, endpoint: Endpoint) -> None:
    items(case, 2)
    run = begin(case, endpoint)
    trial = prompt_trials.look(run)
    assert (trial.ended, trial.open_jobs, trial.rows[0].parts) == (False, 4, [])


def test_a_part_is_compared_as_text() -> None:
    part = TrialPart("x", "one two", "one three")
    assert (part.same, part.html_before, part.html_after) == (False, "one <del>two</del>", "one <ins>three</ins>")


# --- its pages --------------------------------------------------------------------------------------------------------
@pytest.fixture
def lead(client: Client, case: Case) -> Client:
    client.force_login(case.lead)
    return client


def text(answer: HttpResponse) -> str:
    return answer.content.decode()


def test_a_try_is_begun_in_the_browser_and_looked_at_until_it_ends(
    lead: Client, case: Case, endpoint: Endpoint
) -> None:
    items(case, 1)
    versions(case)
    form = "/p/fb/prompts/feedback.checklist.en/try/"
    shown = text(lead.get(form))
    assert '<option value="1" selected>Version 1, not in use' in shown
    assert "sim (simulated), simulated" in shown
    answer = lead.post(form, {"version": "1", "before": "s1", "endpoint": "sim", "budget": "0.5"})
    run = Run.objects.get(options__has_key="beside")
    assert answer["Location"] == f"/p/fb/prompts/trials/{run.pk}/"
    shown = text(lead.get(answer["Location"]))
    assert "2 answers are pending." in shown
    assert 'hx-trigger="every 3s"' in shown
    worked(run)
    shown = text(lead.get(answer["Location"]))
    assert "pending" not in shown
    assert 'hx-trigger="every 3s"' not in shown
    assert "Use “Version 1” from now on" in shown
    assert "These answers come from the simulated model." in shown
    fragment = text(lead.get(answer["Location"], headers={"HX-Request": "true"}))
    assert fragment.strip().startswith('<div class="stack" id="trial"')


def test_a_failure_says_what_to_do_and_nothing_that_only_administrators_see(
    lead: Client, case: Case, endpoint: Endpoint
) -> None:
    items(case, 1)
    run = begin(case, endpoint)
    Endpoint.objects.update(key_env="A_NAME_FOR_ADMINISTRATORS")
    worked(run)
    shown = text(lead.get(f"/p/fb/prompts/trials/{run.pk}/"))
    assert "key not set" in shown
    assert "Set the endpoint&#x27;s environment variable" in shown
    assert endpoint.base_url not in shown
    assert "A_NAME_FOR_ADMINISTRATORS" not in shown


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"before": "1"}, "This is the same version"),
        ({"endpoint": "nobody"}, "not one of the available choices"),
        ({"budget": "0"}, "greater than or equal to"),
        ({"budget": ""}, "This field is required"),
        ({"version": "9"}, "not one of the available choices"),
    ],
)
def test_a_wrong_form_is_refused(lead: Client, case: Case, endpoint: Endpoint, more: dict[str, str], said: str) -> None:
    items(case, 1)
    versions(case)
    given = {"version": "1", "before": "s1", "endpoint": "sim", "budget": "1"} | more
    answer = lead.post("/p/fb/prompts/feedback.checklist.en/try/", given)
    assert (answer.status_code, said in text(answer)) == (422, True)
    assert not Run.objects.exists()


def test_why_nothing_was_tried_is_said_in_the_form(lead: Client, case: Case, endpoint: Endpoint) -> None:
    versions(case)
    given = {"version": "1", "before": "s1", "endpoint": "sim", "budget": "1"}
    assert "No item uses this step" in text(lead.post("/p/fb/prompts/feedback.checklist.en/try/", given))


def test_a_run_of_another_sort_is_no_try(lead: Client, case: Case, endpoint: Endpoint) -> None:
    items(case, 1)
    other = plan_run(project=case.project, purpose="preannotate", endpoint=endpoint, by=case.lead)
    old = begin(case, endpoint).options["beside"]
    for pk in (other.pk, old, 987654):
        assert lead.get(f"/p/fb/prompts/trials/{pk}/").status_code == 404


def test_a_trial_asks_the_database_as_often_for_one_item_as_for_five(
    lead: Client, case: Case, endpoint: Endpoint
) -> None:
    asked = []
    for count in (1, 4):
        items(case, count)
        run = begin(case, endpoint)
        worked(run)
        with CaptureQueriesContext(connection) as queries:
            lead.get(f"/p/fb/prompts/trials/{run.pk}/")
        asked.append((run.jobs.count(), len(queries)))
    assert [jobs for jobs, _queries in asked] == [1, 5]
    assert asked[0][1] == asked[1][1]
