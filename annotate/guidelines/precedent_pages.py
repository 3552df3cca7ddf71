"""Pages of precedents: questions about fields are asked at the desks, listed for all members, and ruled by leads."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.db.models import Prefetch, Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from annotate.errors import Refused
from annotate.guidelines import rulings
from annotate.guidelines.rulings import PinnedPrecedents, in_hand
from annotate.guidelines.sections import field_labels, labels_of
from annotate.kinds.values import Field
from annotate.models import Item, Member, Precedent, PrecedentEvent
from annotate.web.access import LEADS, READERS, WORKERS, item_seen_by, membership, person, project_page
from annotate.web.pager import row_named, row_page

PAGE = 30
SHOWS = ("open", "ruled", "all")


@dataclass
class Asking:
    """The form to ask about an item, as precedents/_ask_form.html shows it."""

    item: Item
    fields: Sequence[Field]
    field: str = ""
    typed: str = ""
    refused: str = ""
    asked: bool = False
    back: str = ""


@dataclass
class PrecedentRow:
    """One question of the list. hidden: its text would tell this person too much; in_hand: only for a short time."""

    precedent: Precedent
    label: str
    hidden: bool
    in_hand: bool = False
    asker: str = ""
    item: int | None = None
    history: Sequence[PrecedentEvent] = field(default_factory=list)
    group: str = ""
    last: int = 0
    refused: str = ""
    typed: str = ""


def pinned(item: Item, member: Member) -> PinnedPrecedents:
    """The rulings and questions at the fields of this item, for a page with `precedents_at`. One query."""
    labels = labels_of(member.project.kind.fields(member.project.kind.read_facts(item.facts)))
    return PinnedPrecedents(rulings.at_fields(item, seen_by=member.user), labels)


def asking(item: Item, member: Member) -> Asking:
    kind = member.project.kind
    return Asking(item, kind.fields(kind.read_facts(item.facts)))


@login_required
def precedent_ask(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    member = membership(request, slug, WORKERS)
    form = asking(item_seen_by(member, pk).item, member)
    parameters = request.POST if request.method == "POST" else request.GET
    form.field, form.typed = _text(parameters.get("field", ""))[:80], _text(parameters.get("question", ""))
    form.back = _back(request, member, form.item)
    status = 200
    if request.method == "POST":
        try:
            rulings.ask(item=form.item, field=form.field, by=person(request), question=form.typed)
            form.asked, form.typed = True, ""
        except Refused as refused:
            form.refused, status = str(refused), 422
    context = {"asking": form, "project": member.project, "membership": member}
    if request.headers.get("HX-Request"):
        return render(request, "precedents/_ask_form.html", context, status=status)
    if form.asked:
        return redirect(form.back)
    return render(request, "precedents/ask.html", context, status=status)


def _back(request: HttpRequest, member: Member, item: Item) -> str:
    """The page that the form was sent from, if it is on this site."""
    back = (request.POST if request.method == "POST" else request.GET).get("back", "")
    safe = url_has_allowed_host_and_scheme(back, {request.get_host()}, require_https=request.is_secure())
    return back if safe and back.startswith("/") else reverse("item", args=[member.project.slug, item.pk])


@login_required
def precedents_list(request: HttpRequest, slug: str) -> HttpResponse:
    return _listed(request, membership(request, slug))


def _listed(
    request: HttpRequest, member: Member, *, status: int = 200, refused: tuple[int, str, str] | None = None
) -> HttpResponse:
    """refused: the question whose ruling was refused, why, and what was typed."""
    show = request.GET.get("show", "open" if member.leads else "ruled")
    show = show if show in SHOWS else "all"
    filters = {name: _text(request.GET.get(name, ""))[:200] for name in ("q", "field", "item")}
    everything = _of_project(member)
    readable_precedents = rulings.shown_to(everything, member.user)
    visible = everything if member.leads else readable_precedents
    matches = _narrowed(visible, readable_precedents, filters)
    before = row_named(request, "before")
    if before is not None:
        matches = matches.filter(pk__lt=before)
    if refused:
        matches = everything.filter(pk=refused[0])
    labels = field_labels(member.project)
    page = row_page(_of(matches, show if not refused else "all").order_by("-pk"), PAGE)
    readable = set(
        readable_precedents.filter(pk__in=[precedent.pk for precedent in page.rows]).values_list("pk", flat=True)
    )
    rows = [_row(precedent, member, labels, precedent.pk not in readable) for precedent in page.rows]
    if refused:
        rows[0].refused, rows[0].typed = refused[1:]
    parameters = {name: value for name, value in filters.items() if value}
    context: dict[str, Any] = {
        "rows": rows,
        "show": show,
        "counts": {name: _of(visible, name).count() for name in SHOWS},
        "filters": filters,
        "labels": labels,
        "keeps": f"&{urlencode(parameters)}" if parameters else "",
        "older": page.next.pk if page.next else None,
    }
    return project_page(request, member, "precedents/precedents.html", context, tab="precedents", status=status)


def _of_project(member: Member) -> QuerySet[Precedent]:
    events = PrecedentEvent.objects.select_related("actor").order_by("id")
    queryset = Precedent.objects.filter(project_id=member.project_id).select_related("asked_by", "ruled_by")
    return queryset.prefetch_related(Prefetch("events", events, to_attr="told"))


def _of(queryset: QuerySet[Precedent], show: str) -> QuerySet[Precedent]:
    return queryset if show == "all" else queryset.filter(ruling="") if show == "open" else queryset.exclude(ruling="")


def _narrowed(
    visible: QuerySet[Precedent], readable_precedents: QuerySet[Precedent], filters: dict[str, str]
) -> QuerySet[Precedent]:
    """Words are searched only in questions that may be read: a hit would reveal the text of a hidden question."""
    matches = visible
    if filters["q"]:
        matches = readable_precedents.filter(Q(question__icontains=filters["q"]) | Q(ruling__icontains=filters["q"]))
    if filters["field"]:
        matches = matches.filter(field=filters["field"])
    if filters["item"].isdecimal() and len(filters["item"]) < 18:
        matches = matches.filter(item_id=int(filters["item"]))
    return matches


def _row(precedent: Precedent, member: Member, labels: dict[str, str], hidden: bool) -> PrecedentRow:
    events: list[PrecedentEvent] = precedent.told  # type: ignore[attr-defined]
    is_asker = precedent.asked_by_id == member.user_id
    return PrecedentRow(
        precedent=precedent,
        label=labels.get(precedent.field, precedent.field),
        hidden=hidden,
        in_hand=hidden and precedent.item_id is not None and in_hand(precedent.item_id, member.user),
        asker=str(precedent.asked_by) if precedent.asked_by and (is_asker or (member.leads and not hidden)) else "",
        item=precedent.item_id if (member.role in READERS or is_asker) and not hidden else None,
        history=events if len(events) > 2 else [],
        group=next((event.group for event in events if event.verb == "asked"), precedent.group),
        last=events[-1].pk if events else 0,
    )


@require_POST
@login_required
def precedent_rule(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    lead = membership(request, slug, LEADS)
    precedent, ruling = _readable(lead, pk), _text(request.POST.get("ruling", ""))
    everywhere = request.POST.get("scope") == "all"
    try:
        rulings.rule(
            precedent=precedent, by=person(request), ruling=ruling, everywhere=everywhere, based_on=_based_on(request)
        )
    except rulings.Outruled as raced:
        return _raced(request, slug, raced, ruling)
    except Refused as refused:
        return _listed(request, lead, status=422, refused=(precedent.pk, str(refused), ruling))
    return redirect(f"{reverse('precedents', args=[slug])}?show=all#precedent-{pk}")


@require_POST
@login_required
def precedent_withdraw(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    lead = membership(request, slug, LEADS)
    precedent = _readable(lead, pk)
    try:
        rulings.withdraw(precedent=precedent, by=person(request), based_on=_based_on(request))
    except rulings.Outruled as raced:
        return _raced(request, slug, raced, precedent.ruling)
    except Refused as refused:
        return _listed(request, lead, status=422, refused=(precedent.pk, str(refused), ""))
    return redirect(f"{reverse('precedents', args=[slug])}?show=all#precedent-{pk}")


@require_POST
@login_required
def precedent_read(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Give the item up, so that the questions about it may be read."""
    lead = membership(request, slug, LEADS)
    precedent = _of_project(lead).filter(pk=pk).first()
    if precedent is None:
        raise Http404
    try:
        rulings.read_anyway(precedent=precedent, by=person(request))
    except Refused as refused:
        return _listed(request, lead, status=422, refused=(precedent.pk, str(refused), ""))
    return redirect(f"{reverse('precedents', args=[slug])}?show=all#precedent-{pk}")


def _readable(lead: Member, pk: int) -> Precedent:
    """A question that this lead may read; else 404, as if it did not exist."""
    precedent = rulings.shown_to(_of_project(lead), lead.user).filter(pk=pk).first()
    if precedent is None:
        raise Http404
    return precedent


def _text(text: str) -> str:
    """PostgreSQL keeps no NUL in its texts."""
    return text.replace("\0", "")


def _based_on(request: HttpRequest) -> int:
    text = request.POST.get("based_on", "")
    return int(text) if text.isdecimal() and len(text) < 18 else 0


def _raced(request: HttpRequest, slug: str, raced: rulings.Outruled, own_ruling: str) -> HttpResponse:
    context = {"reason": raced, "mine": own_ruling, "theirs": raced.theirs, "again": reverse("precedents", args=[slug])}
    return render(request, "409.html", context, status=409)
