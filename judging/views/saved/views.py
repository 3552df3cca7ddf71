from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from annotate.services.errors import Refused
from annotate.views.access import READERS, membership
from annotate.views.pages import project_page
from judging.services.saved_views import deletable_by, save
from judging.views.saved.forms import ViewForm


@require_POST
@login_required
def saved_view_save(request: HttpRequest, slug: str) -> HttpResponse:
    """Back to the dashboard as it was; a name that will not do is asked for again."""
    member = membership(request, slug, READERS)
    form = ViewForm(request.POST)
    if form.is_valid():
        try:
            view = save(member=member, **form.cleaned_data)
        except Refused as refused:
            form.add_error(None, str(refused))
        else:
            messages.success(request, _("Saved as “%(name)s”.") % {"name": view.name})
            return redirect(f"{reverse(view.page, args=[slug])}?{view.query}")
    tab = "judging" if member.project.kind.judges_answers else "overview"
    return project_page(request, member, "judging/view_refused.html", {"form": form}, tab=tab, status=422)


@require_POST
@login_required
def saved_view_delete(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    member = membership(request, slug, READERS)
    view = get_object_or_404(deletable_by(member), pk=pk)
    page, query, name = view.page, view.query, view.name
    view.delete()
    messages.success(request, _("“%(name)s” is deleted.") % {"name": name})
    return redirect(f"{reverse(page, args=[slug])}?{query}")
