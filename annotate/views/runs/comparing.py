import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from annotate.models import Item, Member, Run
from annotate.services import runs as engine
from annotate.services.runs.comparing import Compared, compared_page, is_quick
from annotate.views.access import LEADS, membership
from annotate.views.pages import project_page
from annotate.views.runs.runs import place, run_of
from lib.texts.differences import difference
from lib.texts.pieces import Difference

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
    """Two runs side by side, item by item; an address that names none is not there.

    Counting large runs takes a while: their page asks for the counts by itself, with `count`.
    """
    lead = membership(request, slug, LEADS)
    run, other_run = _both(request, lead)
    counted = "count" in request.GET or is_quick(run, other_run)
    context: dict[str, Any] = {
        "run": run,
        "other": other_run,
        "comparison": engine.compare(run, other_run) if counted else None,
    }
    if counted and request.htmx:  # type: ignore[attr-defined]  # set by django-htmx's middleware
        return render(request, "runs/_compared.html", {"project": lead.project, "membership": lead} | context)
    differing = request.GET.get("show") != "all"
    after, before = place(request, "after"), place(request, "before")
    page = compared_page(
        run, other_run, differing=differing, after=None if before is not None else after, before=before
    )
    context |= {"page": page, "differing": differing, "items": [_beside(compared) for compared in page.rows]}
    return project_page(request, lead, "runs/compare.html", context, tab="runs")


def _both(request: HttpRequest, lead: Member) -> tuple[Run, Run]:
    run, other_pk = place(request, "run"), place(request, "other")
    if run is None or other_pk is None:
        raise Http404
    both = run_of(lead, run), run_of(lead, other_pk)
    if both[0].purpose != both[1].purpose:  # what they leave is not alike
        raise Http404
    return both


def _beside(compared: Compared) -> Beside:
    missing = {(True, False): _("the first left nothing"), (False, True): _("the second left nothing")}
    without = (compared.left is None, compared.right is None)
    word = _("both left nothing") if all(without) else missing.get(without, "")
    return Beside(
        compared.item, [] if any(without) else list(sides(compared.left, compared.right)), compared.equal, word
    )


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
