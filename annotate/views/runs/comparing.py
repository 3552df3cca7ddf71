import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from annotate.models import Item
from annotate.services import runs as engine
from annotate.texts.differences import difference
from annotate.texts.pieces import Difference
from annotate.views.access import LEADS, membership
from annotate.views.pages import project_page
from annotate.views.runs.runs import place, run_of

PER_PAGE = 20
LONGEST = 20_000  # characters of a text that is compared


@dataclass(frozen=True)
class Side:
    """One field of both outcomes, as text."""

    name: str
    left: str
    right: str

    @property
    def marked(self) -> Difference:
        return difference(self.left, self.right)


@dataclass(frozen=True)
class Beside:
    """An item with what differs between its two outcomes; missing: the word for the run that left none."""

    item: Item
    sides: list[Side]
    equal: bool
    missing: str


@login_required
def run_compare(request: HttpRequest, slug: str) -> HttpResponse:
    """Two runs side by side, item by item; an address that names none is not there."""
    lead = membership(request, slug, LEADS)
    numbers = [place(request, name) for name in ("run", "other")]
    if None in numbers:
        raise Http404
    run, other = (run_of(lead, number) for number in numbers if number is not None)
    comparison = engine.compare(run, other)
    page = Paginator(comparison.items, PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "run": run,
        "other": other,
        "comparison": comparison,
        "page": page,
        "items": [_beside(one) for one in page],
    }
    return project_page(request, lead, "runs/compare.html", context, tab="runs")


def _beside(one: engine.Compared) -> Beside:
    missing = {(True, False): _("the first left nothing"), (False, True): _("the second left nothing")}
    without = (one.left is None, one.right is None)
    word = _("both left nothing") if all(without) else missing.get(without, "")
    return Beside(one.item, [] if any(without) else list(sides(one.left, one.right)), one.equal, word)


def sides(left: Any, right: Any) -> Iterator[Side]:
    """The parts in which two outcomes differ: by field where both are objects, else as wholes."""
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        for name in [*left, *(name for name in right if name not in left)]:
            if left.get(name) != right.get(name):
                yield Side(name, _text(left.get(name)), _text(right.get(name)))
    elif left != right:
        yield Side("", _text(left), _text(right))


def _text(value: Any) -> str:
    if value is None:
        return ""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1, default=str)
    return text[:LONGEST]
