import pytest
from django.test import Client
from django.utils import timezone

from annotate.models import Pass, Run
from tests.annotate.pages.runs.conftest import PARTS, RUNS
from tests.support.pages import html_of, said
from tests.support.reviews import Case
from tests.support.runs import make_jobs, make_run

pytestmark = pytest.mark.django_db


def read(run: Run, *, total: int, over: bool = True, detail: str = "", **result: object) -> Pass:
    """A reading as the engine, which is tested on its own, leaves it."""
    ended = timezone.now() if over else None
    return Pass.objects.create(run=run, sort="rereading", total=total, result=result, ended_at=ended, detail=detail)


def test_stored_replies_are_read_again_after_being_asked(lead: Client, case: Case) -> None:
    run = make_run(case.project, state="finished")
    assert "No call is sent" in html_of(lead, f"{RUNS}{run.pk}/reread/")
    answer = lead.post(f"{RUNS}{run.pk}/reread/")
    assert (answer.status_code, answer["Location"]) == (302, f"{RUNS}{run.pk}/reread/")
    text = said(html_of(lead, f"{RUNS}{run.pk}/reread/"))
    assert "Jobs checked 0" in text
    assert "All results are unchanged; no call was sent." in text


def test_where_no_reply_can_be_read_nothing_is_said_to_agree(lead: Client, case: Case) -> None:
    run = make_run(case.project, state="finished")
    read(run, total=3, jobs=3, read=0, failed=3)
    text = said(html_of(lead, f"{RUNS}{run.pk}/reread/"))
    assert "No stored reply is readable" in text
    assert "All results are unchanged" not in text


def test_what_came_out_differently_is_listed(lead: Client, case: Case) -> None:
    run, item = make_run(case.project, state="finished"), case.item("iron")
    make_jobs(run, items=[item], done=2)
    read(run, total=2, jobs=2, read=2, changed=1, items=[item.pk])
    html = html_of(lead, f"{RUNS}{run.pk}/reread/")
    assert f'href="/p/fb/items/{item.pk}/">iron</a>' in html
    assert f'href="/p/fb/jobs/{run.jobs.get(item=item).pk}/"' in html
    assert 'id="confirm"' in html


def test_a_large_run_is_watched_until_a_worker_has_read_it(lead: Client, case: Case) -> None:
    run = make_run(case.project, state="finished")
    one = read(run, total=9000, over=False, jobs=2000, read=1990, failed=10, changed=0, items=[])
    html = html_of(lead, f"{RUNS}{run.pk}/reread/")
    assert "A worker is reparsing replies: 2,000 of 9,000 jobs so far." in html
    assert 'id="confirm"' not in html
    part = html_of(lead, f"{RUNS}{run.pk}/reread/", headers=PARTS)
    assert part.strip().startswith('<div class="stack" id="reread-live" hx-get=')
    Pass.objects.filter(pk=one.pk).update(ended_at=timezone.now())
    assert "hx-get" not in html_of(lead, f"{RUNS}{run.pk}/reread/", headers=PARTS)


def test_a_second_reading_waits_for_the_first(lead: Client, case: Case) -> None:
    run = make_run(case.project, state="finished")
    read(run, total=9000, over=False, jobs=2000)
    assert lead.post(f"{RUNS}{run.pk}/reread/").status_code == 409


@pytest.mark.parametrize(("detail", "why"), [("died", "The worker crashed on it"), ("moved", "2,000 of 9,000 jobs.")])
def test_a_reading_that_was_broken_off_says_so(lead: Client, case: Case, detail: str, why: str) -> None:
    run = make_run(case.project, state="finished")
    read(run, total=9000, detail=detail, jobs=2000, read=2000)
    text = said(html_of(lead, f"{RUNS}{run.pk}/reread/"))
    assert "It stopped before all jobs were checked" in text
    assert why in text


def test_a_running_run_says_that_its_replies_cannot_be_read_again_yet(lead: Client, case: Case) -> None:
    run = make_run(case.project)
    html = html_of(lead, f"{RUNS}{run.pk}/reread/")
    assert "while the run is paused" in html
    assert 'id="confirm"' not in html
