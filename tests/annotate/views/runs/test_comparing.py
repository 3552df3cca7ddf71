from typing import Any

import pytest
from django.test import Client

from annotate.models import Item, Run
from tests.annotate.views.runs.conftest import RUNS
from tests.support.pages import following, html_of, said
from tests.support.reviews import Case
from tests.support.runs import make_jobs, make_run

pytestmark = pytest.mark.django_db


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
