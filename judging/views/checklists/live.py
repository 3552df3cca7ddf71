from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from annotate.models import Item
from annotate.views.access import WORKERS, item_seen_by, membership
from judging.services.checklists.live import live_scores


@never_cache
@require_POST
@login_required
def live_scores_part(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """A fragment of the work and review pages: scores under the checklist as it stands in their form. Writes nothing.

    Whoever may look at the item may see it; authors of answers are named to nobody here.
    """
    member = membership(request, slug, WORKERS)
    visible_item = item_seen_by(member, pk)
    if not member.project.kind.judges_answers:
        raise Http404
    item = Item.objects.select_related("base", "project").get(pk=visible_item.pk)
    kind = item.project.kind
    facts = kind.read_facts(kind.upgrade(item.facts, item.schema))
    number_text = request.POST.get("live_answer", "")
    number = int(number_text) if number_text.isascii() and number_text.isdecimal() and len(number_text) < 6 else 1
    scores = live_scores(item, kind.read_form(request.POST, facts), number)
    return render(request, "checklists/_live.html", {"live": scores, "project": member.project, "item": item})
