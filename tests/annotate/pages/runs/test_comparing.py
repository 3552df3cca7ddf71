import re
from typing import Any

import pytest
from django.test import Client

from annotate.models import Item, Run
from annotate.runs import comparison
from tests.annotate.pages.runs.conftest import PARTS, RUNS
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
    html = html_of(lead, f"{RUNS}compare/?run={runs[0].pk}&other={runs[1].pk}&show=all")
    text = said(html)
    assert "Equal 1 of 4 items in either run" in text
    assert "Different 1 Only in the first 1 Only in the second 0 In neither 1" in text
    assert "<del>more</del>" in html
    assert "<ins>less</ins>" in html
    assert html.count("<code>feedback</code>") == 1
    assert "<code>error_type</code>" not in html
    assert "no result from the second" in text


@pytest.mark.parametrize("query", ["", "run=1", "run=x&other=y", "run=²&other=1", "run=-1&other=1"])
def test_an_address_that_names_no_two_runs_is_not_there(lead: Client, case: Case, query: str) -> None:
    make_run(case.project)
    assert lead.get(f"{RUNS}compare/?{query}").status_code == 404


def test_runs_of_different_purposes_are_not_held_beside_each_other(lead: Client, case: Case) -> None:
    runs = [make_run(case.project, purpose=purpose).pk for purpose in ("preannotate", "classify", "preannotate")]
    assert lead.get(f"{RUNS}compare/?run={runs[0]}&other={runs[1]}").status_code == 404
    html = html_of(lead, RUNS)
    assert 'id="compare-preannotate"' in html
    assert 'id="compare-classify"' not in html
    options = re.findall(r'<option value="([0-9]+)"', html)
    assert sorted(map(int, options)) == sorted([runs[0], runs[2]] * 2)
    Run.objects.filter(pk=runs[2]).delete()
    assert "Compare two runs" not in html_of(lead, RUNS)


@pytest.fixture
def pair(case: Case) -> tuple[Run, Run]:
    """Two runs over 25 items: all but the last came out differently."""
    made = [case.item(f"k-{n}", suggestion=None) for n in range(25)]
    runs = [make_run(case.project, state="finished") for _ in range(2)]
    for turn, run in enumerate(runs):
        make_jobs(run, items=made, done=25)
        for item in made:
            suggested(run, item, feedback=("This.", "That.")[turn] if item is not made[-1] else "Same.")
    return runs[0], runs[1]


def compared(lead: Client, pair: tuple[Run, Run], more: str = "", **options: Any) -> str:
    return html_of(lead, f"{RUNS}compare/?run={pair[0].pk}&other={pair[1].pk}{more}", **options)


def listed(html: str) -> list[str]:
    return re.findall(r'-head"><a class="figure-link num" href="[^"]+">([^<]+)</a>', html)


def test_a_comparison_lists_what_differs_page_by_page(lead: Client, pair: tuple[Run, Run]) -> None:
    first = compared(lead, pair)
    assert listed(first) == [f"k-{n}" for n in range(20)]
    second = html_of(lead, f"{RUNS}compare/{following(first, 'next')}")
    assert listed(second) == [f"k-{n}" for n in range(20, 24)]
    assert listed(html_of(lead, f"{RUNS}compare/{following(second, 'prev')}")) == listed(first)


def test_a_comparison_of_all_keeps_to_all(lead: Client, pair: tuple[Run, Run]) -> None:
    second = html_of(lead, f"{RUNS}compare/{following(compared(lead, pair, '&show=all'), 'next')}")
    assert listed(second) == [f"k-{n}" for n in range(20, 25)]
    assert 'id="show-all" href' in second


def test_runs_that_left_the_same_have_no_difference(lead: Client, case: Case) -> None:
    run, item = make_run(case.project, state="finished"), case.item("iron", suggestion=None)
    make_jobs(run, items=[item], done=1)
    suggested(run, item, feedback="Same.")
    assert "No difference" in compared(lead, (run, run))


def test_runs_about_nothing_say_so(lead: Client, case: Case) -> None:
    run = make_run(case.project)
    assert "Nothing to compare" in compared(lead, (run, run))


def test_large_runs_are_counted_after_the_page_is_there(
    lead: Client, pair: tuple[Run, Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comparison, "QUICK", 10)
    html = compared(lead, pair)
    assert "of 25 items" not in html
    (address,) = re.findall(r'id="counts" hx-get="([^"]+)"', html)
    part = html_of(lead, address.replace("&amp;", "&"), headers=PARTS)
    assert part.strip().startswith('<section class="panel" id="counts" aria-label')
    assert "Equal 1 of 25 items" in said(part)
    assert "Equal 1 of 25 items" in said(compared(lead, pair, "&count=1"))
