from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST

from annotate.errors import Refused
from annotate.models import SavedView
from annotate.saved_views.actions import deletable_by, delete, save, saving_pages
from annotate.web.access import READERS, membership, project_page

LONGEST = SavedView._meta.get_field("query").max_length
TOO_LONG = _("This address is too long to save. Choose fewer options.")


class ViewForm(forms.Form):
    name = forms.CharField(label=_("Name"), max_length=80)
    page = forms.ChoiceField(choices=saving_pages, widget=forms.HiddenInput)
    query = forms.CharField(
        required=False, max_length=LONGEST, widget=forms.HiddenInput, error_messages={"max_length": TOO_LONG}
    )
    shared = forms.BooleanField(label=_("Share with everyone who can see this page"), required=False)

    def clean_query(self) -> str:
        """The text, encoded again as a query string, whatever was sent."""
        return QueryDict(self.cleaned_data["query"]).urlencode()


@require_POST
@login_required
def saved_view_save(request: HttpRequest, slug: str) -> HttpResponse:
    """Save the view and go back to its page; an invalid name is asked for again."""
    member = membership(request, slug, READERS)
    form = ViewForm(request.POST)
    if form.is_valid():
        try:
            view = save(member=member, **form.cleaned_data)
        except Refused as refused:
            form.add_error(None, str(refused))
        else:
            messages.success(request, gettext("Saved as “%(name)s”.") % {"name": view.name})
            return redirect(f"{reverse(view.page, args=[slug])}?{view.query}")
    tab = form.data.get("page", "")
    return project_page(request, member, "saved_views/refused.html", {"form": form}, tab=tab, status=422)


@require_POST
@login_required
def saved_view_delete(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    member = membership(request, slug, READERS)
    view = get_object_or_404(deletable_by(member), pk=pk)
    page, query, name = view.page, view.query, view.name
    delete(view)
    messages.success(request, gettext("“%(name)s” was deleted.") % {"name": name})
    return redirect(f"{reverse(page, args=[slug])}?{query}")
