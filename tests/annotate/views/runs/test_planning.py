from decimal import Decimal
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from annotate import tasks
from annotate.models import Endpoint, Item, Job, Run
from annotate.services import runs as engine
from tests.support.pages import following, html_of, said
from tests.support.reviews import Case, make_case
from tests.support.runs import make_endpoint, make_jobs, make_run

pytestmark = pytest.mark.django_db
RUNS, NEW = "/p/fb/runs/", "/p/fb/runs/new/"


@pytest.fixture
def case(monkeypatch: pytest.MonkeyPatch) -> Case:
    monkeypatch.setattr(tasks, "ring", lambda task, pk: None)
    return make_case()


@pytest.fixture
def lead(client: Client, case: Case) -> Client:
    client.force_login(case.lead)
    return client


@pytest.fixture
def endpoint() -> Endpoint:
    return make_endpoint(name="drafter")


def planned(client: Client, **given: Any) -> HttpResponse:
    return client.post(NEW, {"run-purpose": "preannotate", "run-endpoint": "drafter"} | given)


def items(case: Case) -> list[Item]:
    """One ready, one ready in Chinese, one accepted, one dropped."""
    made = [case.item(key) for key in ("ready", "chinese", "accepted", "dropped")]
    Item.objects.filter(key="chinese").update(language="zh")
    Item.objects.filter(key="accepted").update(state="accepted")
    Item.objects.filter(key="dropped").update(state="dropped", drop_reason="other")
    return made


# --- planning -------------------------------------------------------------------------------------------------------
def test_first_one_chooses_what_for(lead: Client, endpoint: Endpoint) -> None:
    text = html_of(lead, f"{NEW}?state=ready")
    assert "Pre-annotation" in text
    assert f'href="{NEW}?run-purpose=classify&amp;state=ready"' in text


def test_without_an_endpoint_nothing_can_be_planned(lead: Client, case: Case) -> None:
    make_endpoint(name="gone", retired_at=timezone.now())
    assert "There is no model to ask yet." in html_of(lead, f"{NEW}?run-purpose=preannotate")
    assert planned(lead, **{"run-endpoint": "gone"}).status_code == 422
    assert not Run.objects.exists()


def test_the_form_takes_over_what_the_address_says(lead: Client, endpoint: Endpoint) -> None:
    make_endpoint(name="another")
    html = html_of(lead, f"{NEW}?run-purpose=preannotate&run-endpoint=drafter&run-budget=7&state=ready")
    assert '<option value="drafter" selected>' in html
    assert 'name="run-budget" value="7"' in html
    assert '<option value="ready" selected>' in html


def test_planning_writes_jobs_and_sends_nothing(lead: Client, case: Case, endpoint: Endpoint) -> None:
    items(case)
    answer = planned(lead, **{"run-budget": "2.5", "run-shares_replies": "on"})
    run = Run.objects.get()
    assert (answer.status_code, answer["Location"]) == (302, f"{RUNS}{run.pk}/")
    assert (run.state, run.budget, run.shares_replies, run.created_by) == ("planned", Decimal("2.5"), True, case.lead)
    assert sorted(run.jobs.values_list("item__key", flat=True)) == ["chinese", "ready"]
    assert run.calls == 0


def test_the_plan_says_what_it_takes_and_what_is_left_out(lead: Client, case: Case, endpoint: Endpoint) -> None:
    items(case)
    planned(lead)
    html = html_of(lead, f"{RUNS}{Run.objects.get().pk}/")
    text = said(html)
    assert "Jobs 2 one an item" in text
    assert "Nothing has been sent. This is what it would do." in text
    assert "accepted already 1" in text
    assert '<a class="figure-link" href="/p/fb/items/?state=dropped">1</a>' in html
    assert f'action="{RUNS}{Run.objects.get().pk}/start/"' in html


def test_only_the_items_that_pass_the_filters_get_jobs(lead: Client, case: Case, endpoint: Endpoint) -> None:
    items(case)
    planned(lead, language="zh")
    run = Run.objects.get()
    assert list(run.jobs.values_list("item__key", flat=True)) == ["chinese"]
    assert run.options["items"] == {"language": "zh"}
    html = html_of(lead, f"{RUNS}{run.pk}/")
    assert 'href="/p/fb/items/?language=zh"' in html
    assert "None: every item that passes gets a job." in html


def test_a_limit_leaves_the_rest_out(lead: Client, case: Case, endpoint: Endpoint) -> None:
    for n in range(5):
        case.item(f"k-{n}")
    planned(lead, **{"run-limit": "2"})
    run = Run.objects.get()
    assert run.jobs.count() == 2
    assert "beyond the limit 3" in said(html_of(lead, f"{RUNS}{run.pk}/"))


def test_a_plan_without_jobs_cannot_be_started(lead: Client, case: Case, endpoint: Endpoint) -> None:
    planned(lead)
    html = html_of(lead, f"{RUNS}{Run.objects.get().pk}/")
    assert "No item is left to work on" in html
    assert "/start/" not in html


def test_an_estimate_above_the_budget_is_warned_of(lead: Client, case: Case, endpoint: Endpoint) -> None:
    for n in range(20):
        case.item(f"k-{n}")
    planned(lead, **{"run-budget": "0.01"})
    assert 'id="too-dear"' in html_of(lead, f"{RUNS}{Run.objects.get().pk}/")


def test_a_plan_like_another_begins_with_its_choices(lead: Client, case: Case, endpoint: Endpoint) -> None:
    items(case)
    planned(lead, language="zh", **{"run-budget": "2.50"})
    html = html_of(lead, f"{RUNS}{Run.objects.get().pk}/")
    assert f'href="{NEW}?run-purpose=preannotate&amp;run-endpoint=drafter&amp;language=zh&amp;run-budget=2.5"' in html


@pytest.mark.parametrize(
    "bad",
    [
        {"run-endpoint": "nowhere"},
        {"run-endpoint": ""},
        {"run-limit": "0"},
        {"run-limit": "many"},
        {"run-budget": "-1"},
        {"run-budget": "NaN"},
        {"run-budget": "1e999"},
        {"state": "nonsense"},
        {"since": "yesterday"},
        {"q": "\x00"},
    ],
)
def test_a_bad_plan_is_refused_and_nothing_is_written(
    lead: Client, case: Case, endpoint: Endpoint, bad: dict[str, str]
) -> None:
    case.item()
    answer = planned(lead, **bad)
    assert answer.status_code == 422
    assert 'role="alert"' in answer.content.decode()
    assert not Run.objects.exists()


def test_an_endpoint_that_lost_its_approval_is_refused_with_the_reason(lead: Client, case: Case) -> None:
    make_endpoint(name="drafter", base_url="http://models.example.org/v1", approved=False)
    case.item()
    answer = planned(lead)
    assert answer.status_code == 422
    assert "is not approved" in answer.content.decode()
    assert not Run.objects.exists()


def test_others_plan_nothing(client: Client, case: Case, endpoint: Endpoint) -> None:
    case.item()
    for user, status in ((case.reviewer, 403), (case.viewer, 403), (case.stranger, 404)):
        client.force_login(user)
        assert planned(client).status_code == status
    assert not Run.objects.exists()


# --- what a lead does with it ---------------------------------------------------------------------------------------
def running(case: Case, **columns: Any) -> Run:
    run = make_run(case.project, **columns)
    make_jobs(run, done=1, pending=2, causes={"timeout": 2})
    return run


def state_of(run: Run) -> str:
    run.refresh_from_db()
    return run.state


@pytest.mark.parametrize(
    ("before", "verb", "after"),
    [
        ("planned", "start", "running"),
        ("running", "pause", "paused"),
        ("paused", "resume", "running"),
        ("running", "cancel", "cancelled"),
        ("paused", "cancel", "cancelled"),
        ("planned", "cancel", "cancelled"),
    ],
)
def test_a_step_leads_on(lead: Client, case: Case, before: str, verb: str, after: str) -> None:
    run = running(case, state=before)
    answer = lead.post(f"{RUNS}{run.pk}/{verb}/")
    assert (answer.status_code, answer["Location"]) == (302, f"{RUNS}{run.pk}/")
    assert state_of(run) == after


@pytest.mark.parametrize(
    ("before", "verb"),
    [
        ("running", "start"),
        ("finished", "pause"),
        ("paused", "pause"),
        ("running", "resume"),
        ("cancelled", "resume"),
        ("finished", "cancel"),
        ("planned", "retry"),
        ("cancelled", "retry"),
        ("running", "reread"),
    ],
)
def test_whoever_is_late_is_told_how_it_stands(lead: Client, case: Case, before: str, verb: str) -> None:
    run = running(case, state=before)
    answer = lead.post(f"{RUNS}{run.pk}/{verb}/")
    assert answer.status_code == 409
    assert f"The run is in the state “{run.get_state_display()}” by now" in answer.content.decode()
    assert f'href="{RUNS}{run.pk}/"' in answer.content.decode()
    assert state_of(run) == before


def test_looking_does_nothing(lead: Client, case: Case) -> None:
    run = running(case)
    for verb in ("start", "pause", "resume", "retry"):
        assert lead.get(f"{RUNS}{run.pk}/{verb}/").status_code == 405
    assert "Cancel this run?" in html_of(lead, f"{RUNS}{run.pk}/cancel/")
    assert state_of(run) == "running"


def test_cancelling_a_plan_is_called_discarding(lead: Client, case: Case) -> None:
    run = running(case, state="planned")
    assert "Discard this plan?" in html_of(lead, f"{RUNS}{run.pk}/cancel/")


def test_a_retry_takes_up_the_failed_jobs_only(lead: Client, case: Case) -> None:
    run = running(case, state="finished", ended_at=timezone.now())
    text = said(html_of(lead, lead.post(f"{RUNS}{run.pk}/retry/")["Location"]))
    assert "2 failed jobs are taken up again." in text
    assert state_of(run) == "running"
    assert dict(Job.objects.filter(run=run).values_list("subject", "state"))["subject-00000"] == "done"


def test_nothing_is_sent_to_an_endpoint_that_was_retired(lead: Client, case: Case) -> None:
    run = running(case, state="planned")
    Endpoint.objects.update(retired_at=timezone.now())
    answer = lead.post(f"{RUNS}{run.pk}/start/")
    assert answer.status_code == 409
    assert "is retired" in answer.content.decode()
    assert state_of(run) == "planned"


def test_a_budget_is_raised_and_never_lowered(lead: Client, case: Case) -> None:
    run = running(case, budget=Decimal(3), cost=Decimal("2.9"))
    assert "Spent so far: $2.90 of $3.00." in html_of(lead, f"{RUNS}{run.pk}/budget/")
    for bad in ("3", "2", "", "x", "-1"):
        answer = lead.post(f"{RUNS}{run.pk}/budget/", {"budget": bad})
        assert (answer.status_code, Run.objects.get().budget) == (422, 3)
    assert lead.post(f"{RUNS}{run.pk}/budget/", {"budget": "4.5"}).status_code == 302
    assert Run.objects.get().budget == Decimal("4.5")


def test_stored_replies_are_read_again_after_being_asked(lead: Client, case: Case) -> None:
    run = make_run(case.project, state="finished")
    assert "No call is sent" in html_of(lead, f"{RUNS}{run.pk}/reread/")
    text = said(lead.post(f"{RUNS}{run.pk}/reread/").content.decode())
    assert "Jobs looked at 0" in text
    assert "Everything came out as it was; no call was sent." in text


def test_what_came_out_differently_is_listed(lead: Client, case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine is tested on its own; here is only what the page makes of its answer."""
    run, item = make_run(case.project, state="finished"), case.item("iron")
    make_jobs(run, items=[item], done=2)
    answer = engine.Reread(jobs=2, read=2, changed=1, items=[item.pk])
    monkeypatch.setattr(engine, "reread", lambda run, by: answer)
    html = lead.post(f"{RUNS}{run.pk}/reread/").content.decode()
    assert f'href="/p/fb/items/{item.pk}/">iron</a>' in html
    assert f'href="/p/fb/jobs/{run.jobs.get(item=item).pk}/"' in html


def test_a_running_run_says_that_its_replies_cannot_be_read_again_yet(lead: Client, case: Case) -> None:
    run = make_run(case.project)
    html = html_of(lead, f"{RUNS}{run.pk}/reread/")
    assert "while the run is paused" in html
    assert 'id="confirm"' not in html


# --- comparing ------------------------------------------------------------------------------------------------------
def suggested(run: Run, item: Item, **draft: Any) -> None:
    item.annotations.create(run=run, model="m", draft=draft)


def test_two_runs_are_compared_item_by_item(lead: Client, case: Case) -> None:
    made = [case.item(key, suggestion=None) for key in ("same", "other", "once", "never")]
    runs = [make_run(case.project, state="finished") for _ in range(2)]
    for run in runs:
        make_jobs(run, items=made, done=4)
    for number, run in enumerate(runs):
        suggested(run, made[0], feedback="Both weigh the same.")
        suggested(run, made[1], feedback=f"Iron weighs {('more', 'less')[number]} than that.", error_type=["Fact"])
    suggested(runs[0], made[2], feedback="Once.")
    html = html_of(lead, f"{RUNS}compare/?run={runs[0].pk}&other={runs[1].pk}")
    text = said(html)
    assert "Equal 1 of 4 items that either was about" in text
    assert "Different 1 Only in the first 1 Only in the second 0 In neither 1" in text
    assert "<del>more</del>" in html
    assert "<ins>less</ins>" in html
    assert html.count("<code>feedback</code>") == 1
    assert "<code>error_type</code>" not in html
    assert "the second left nothing" in text


@pytest.mark.parametrize("query", ["", "run=1", "run=x&other=y", "run=²&other=1", "run=-1&other=1"])
def test_an_address_that_names_no_two_runs_is_not_there(lead: Client, case: Case, query: str) -> None:
    make_run(case.project)
    assert lead.get(f"{RUNS}compare/?{query}").status_code == 404


def test_a_comparison_has_pages(lead: Client, case: Case) -> None:
    made = [case.item(f"k-{n}", suggestion=None) for n in range(25)]
    runs = [make_run(case.project, state="finished") for _ in range(2)]
    for run in runs:
        make_jobs(run, items=made, done=25)
    first = html_of(lead, f"{RUNS}compare/?run={runs[0].pk}&other={runs[1].pk}")
    assert following(first, "next").endswith("page=2")
