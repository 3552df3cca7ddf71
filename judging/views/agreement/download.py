"""The pooled figures of the page as a table: a row for people and one for each judge."""

from collections.abc import Iterator
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from annotate.formats.csv_cells import csv_line
from judging.services.comparing_raters.headline import headline, rows_of
from judging.views.agreement.access import agreement_member
from judging.views.agreement.asked import Asked, asked
from lib.stats.agreement import RESAMPLES, SEED


@require_safe
@login_required
def agreement_csv(request: HttpRequest, slug: str) -> HttpResponse:
    """?raters= and the other words as on the page; people are called as there."""
    query = asked(request, agreement_member(request, slug))
    if query is None:
        raise Http404
    # The mark at the beginning is how spreadsheets know UTF-8.
    answer = HttpResponse("\ufeff" + "".join(_lines(query)), content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="{slug}-agreement.csv"'
    return answer


def _lines(query: Asked) -> Iterator[str]:
    summary = headline(query.found, query.wish.level)
    people = "; ".join(query.names[rater.key] for rater in summary.raters)
    resampling: dict[str, Any] = {"resamples": RESAMPLES, "seed": SEED, "people": people}
    rows = [row | resampling for row in rows_of(summary)]
    yield csv_line(rows[0])
    yield from (csv_line(row.values()) for row in rows)
