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
    wanted, found = look(member, request.GET)
    status = 422 if wanted.form.is_bound and found is None else 200
    return difficulty_page(request, member, wanted, found, status=status)


@require_POST
@login_required
def difficulty_apply(request: HttpRequest, slug: str) -> HttpResponse:
    """Drop what the page had shown. Where the verdicts say something else by now, nothing is dropped: 409."""
    member = checklists_member(request, slug, LEADS)
    wanted, found = look(member, request.POST)
    if found is None:
        return difficulty_page(request, member, wanted, found, status=422)
    if request.POST.get("expected", "") != expected(found):
        return difficulty_page(request, member, wanted, found, status=409, changed=True)
    done = applying.apply(found, by=person(request))
    _say(request, done, dropped=True)
    return redirect("difficulty", slug)


@require_POST
@login_required
def difficulty_restore(request: HttpRequest, slug: str) -> HttpResponse:
    """Accept again one item that this filter has dropped, or all of them."""
    member = checklists_member(request, slug, LEADS)
    one = request.POST.get("item", "")
    if one.isascii() and one.isdecimal() and len(one) < 19:
        items = Item.objects.filter(project=member.project, pk=int(one))
        done = applying.restore(member.project, by=person(request), items=items)
    elif request.POST.get("all") == "yes":
        done = applying.restore(member.project, by=person(request))
    else:
        wanted, found = look(member, request.GET)
        return difficulty_page(request, member, wanted, found, status=422)
    _say(request, done, dropped=False)
    return redirect("difficulty", slug)


def _say(request: HttpRequest, done: Done, *, dropped: bool) -> None:
    count, left = done.count, sum(done.left_out.values())
    if dropped:
        told = ngettext("%(n)d item was dropped as too easy.", "%(n)d items were dropped as too easy.", count)
    else:
        told = ngettext("%(n)d item is accepted again.", "%(n)d items are accepted again.", count)
    (messages.success if count else messages.info)(request, told % {"n": count})
    if left:
        messages.warning(request, _("%(n)d were changed meanwhile and stay as they are.") % {"n": left})
