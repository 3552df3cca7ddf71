from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotate.models import Call, Job, Run
from annotate.runs import actions
from annotate.runs.comparison import compare
from annotate.runs.execution import progress, work
from tests.annotate.runs.conftest import NOWHERE
from tests.support.faulty_model import FaultyModel
from tests.support.small_purpose import Words, make_endpoint, planned

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("at_once")]


def test_progress_counts_everything_in_four_queries(
    words: Words, model: FaultyModel, django_assert_max_num_queries: Any
) -> None:
    model.chooses = lambda question, _times: "bad_request" if question.startswith("item/") and odd(question) else "good"
    run = planned(make_endpoint(model.base_url, price_in=Decimal(10)), items=6)
    actions.start(run, None, ring=False)
    with django_assert_max_num_queries(4):
        before = progress(run)
    assert (before.jobs, before.pending, before.open, before.ended) == (6, 6, 6, 0)
    assert (before.calls_a_minute, before.seconds_left) == (0.0, None)
    work(run)
    with django_assert_max_num_queries(4):
        after = progress(run)
    assert (after.done, after.failed, after.ended, after.causes) == (3, 3, 6, {"bad_request": 3})
    assert (after.calls, after.tokens_in, after.tokens_out) == (6, 300, 30)
    assert after.cost == Decimal("0.003")


def odd(question: str) -> bool:
    return int(question.split()[0].removeprefix("item/")) % 2 == 1


def test_progress_says_the_rate_and_what_is_left(words: Words) -> None:
    run = planned(make_endpoint(NOWHERE), items=40)
    actions.start(run, None, ring=False)
    jobs = list(run.jobs.order_by("pk")[:10])
    since = timezone.now() - timezone.timedelta(seconds=20)
    Call.objects.bulk_create(
        Call(job=job, step="s", attempt=1, digest="x", request={}, cause="", sent_at=since) for job in jobs
    )
    Job.objects.filter(pk__in=[job.pk for job in jobs]).update(state="done")
    Run.objects.update(calls=10)
    found = progress(run)
    assert 28 < found.calls_a_minute <= 30  # ten in twenty seconds, and those that this test took
    assert found.seconds_left is not None
    assert 60 <= found.seconds_left < 66  # thirty jobs of a call each


def test_comparing_and_counting_ask_no_more_with_more_items(words: Words, model: FaultyModel) -> None:
    counts = []
    for items in (5, 60):
        run = planned(make_endpoint(model.base_url), items=items)
        actions.start(run, None, ring=False)
        work(run)
        with CaptureQueriesContext(connection) as asked:
            compare(run, run)
            progress(run)
        counts.append(len(asked))
    assert counts[0] == counts[1]
