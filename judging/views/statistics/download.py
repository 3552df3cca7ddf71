from collections.abc import Iterator

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from annotate.formats.csv_cells import csv_line
from judging.services.statistics.counting import Statistics, statistics
from judging.services.statistics.reading import table
from judging.views.answers.access import judging_member
from judging.views.statistics.page import state_asked

COLUMNS = ("of", "what", "value", "from", "below", "items", "share")
FIGURES = ("mean", "median", "p95", "shortest", "longest")


@require_safe
@login_required
def statistics_csv(request: HttpRequest, slug: str) -> HttpResponse:
    """Every distribution of the page as one table, in the data's own words."""
    member = judging_member(request, slug)
    state = state_asked(request)
    lines = _lines(statistics(table(member.project), state))
    # The mark at the beginning is how spreadsheets know UTF-8.
    answer = HttpResponse("\ufeff" + "".join(lines), content_type="text/csv; charset=utf-8")
    name = "-".join(filter(None, [slug, "statistics", state]))
    answer["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    return answer


def _lines(distributions: Statistics) -> Iterator[str]:
    yield csv_line(COLUMNS)
    for labels in distributions.labels:
        for label_count in labels.counts:
            yield csv_line(
                [labels.name, "label", label_count.value, None, None, label_count.n, round(label_count.share, 6)]
            )
    for lengths in distributions.lengths:
        for figure in FIGURES:
            value = getattr(lengths.summary, figure)
            yield csv_line([lengths.name, f"{figure} {lengths.unit}", value, None, None, lengths.summary.n, None])
        for each_range in lengths.ranges:
            share = round(each_range.count / lengths.summary.n, 6)
            ends = [each_range.low, each_range.high]
            yield csv_line([lengths.name, lengths.unit, None, *ends, each_range.count, share])
