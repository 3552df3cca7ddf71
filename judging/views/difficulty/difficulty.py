from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from annotate.models import Item
from annotate.views.access import LEADS, person
from judging.services.difficulty import applying
from judging.services.difficulty.applying import Done
from judging.views.checklists.access import checklists_member
from judging.views.difficulty.page import difficulty_page, expected, look


@require_safe
@login_required
def difficulty(request: HttpRequest, slug: str) -> HttpResponse:
    """Which accepted items all weak authors solve; nothing is dropped by looking."""
    member = checklists_member(request, slug)
    query, finding = look(member, request.GET)
    status = 422 if query.form.is_bound and finding is None else 200
    return difficulty_page(request, member, query, finding, status=status)


@require_POST
@login_required
def difficulty_apply(request: HttpRequest, slug: str) -> HttpResponse:
    """Drop what the page had shown. Where the verdicts say something else by now, nothing is dropped: 409."""
    member = checklists_member(request, slug, LEADS)
    query, finding = look(member, request.POST)
    if finding is None:
        return difficulty_page(request, member, query, finding, status=422)
    if request.POST.get("expected", "") != expected(finding):
        return difficulty_page(request, member, query, finding, status=409, changed=True)
    outcome = applying.apply(finding, by=person(request))
    _say(request, outcome, dropped=True)
    return redirect("difficulty", slug)


@require_POST
@login_required
def difficulty_restore(request: HttpRequest, slug: str) -> HttpResponse:
    """Accept again one item that this filter has dropped, or all of them."""
    member = checklists_member(request, slug, LEADS)
    item_pk = request.POST.get("item", "")
    if item_pk.isascii() and item_pk.isdecimal() and len(item_pk) < 19:
        items = Item.objects.filter(project=member.project, pk=int(item_pk))
        outcome = applying.restore(member.project, by=person(request), items=items)
    elif request.POST.get("all") == "yes":
        outcome = applying.restore(member.project, by=person(request))
    else:
        query, finding = look(member, request.GET)
        return difficulty_page(request, member, query, finding, status=422)
    _say(request, outcome, dropped=False)
    return redirect("difficulty", slug)


def _say(request: HttpRequest, outcome: Done, *, dropped: bool) -> None:
    count, skip_count = outcome.count, sum(outcome.left_out.values())
    if dropped:
        message = ngettext("%(n)d item was dropped as too easy.", "%(n)d items were dropped as too easy.", count)
    else:
        message = ngettext("%(n)d item is accepted again.", "%(n)d items are accepted again.", count)
    (messages.success if count else messages.info)(request, message % {"n": count})
    if skip_count:
        messages.warning(request, _("%(n)d were changed meanwhile and stay as they are.") % {"n": skip_count})
