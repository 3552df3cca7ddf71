from functools import partial

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.validators import MaxValueValidator, MinValueValidator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from annotate.models import Member
from annotate.services import tokens
from annotate.services.tokens import Made
from annotate.views.access import LEADS, membership
from annotate.views.making import listed_or_made
from annotate.views.pages import project_page


class TokenForm(forms.Form):
    """A key for one program."""

    name = forms.CharField(
        label=gettext_lazy("Name"), max_length=80, help_text=gettext_lazy("What it is for, such as “nightly export”.")
    )
    role = forms.ChoiceField(
        label=gettext_lazy("Role"),
        choices=Member.Role.choices,
        initial=Member.Role.VIEWER,
        help_text=gettext_lazy("What the program may do: as much as a person in this role, as you."),
    )
    days = forms.IntegerField(
        label=gettext_lazy("Days until it ends"),
        initial=90,
        required=False,
        validators=[MinValueValidator(1), MaxValueValidator(tokens.LONGEST)],
        help_text=gettext_lazy("Empty: it never ends by itself."),
    )


@never_cache
@login_required
def token_list(request: HttpRequest, slug: str) -> HttpResponse:
    """What programs may enter with; a new token is shown here, this once."""
    lead = membership(request, slug, LEADS)
    make = partial(tokens.make, by=lead)
    return listed_or_made(request, TokenForm, make=make, page=partial(_page, request, lead), blamed="role")


@require_POST
@login_required
def token_revoke(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    lead = membership(request, slug, LEADS)
    token = get_object_or_404(lead.project.tokens, pk=pk)
    if tokens.revoke(token):
        messages.success(request, _("“%(name)s” opens nothing any more.") % {"name": token.name})
    else:
        messages.info(request, _("“%(name)s” was revoked before.") % {"name": token.name})
    return redirect("tokens", slug)


def _page(
    request: HttpRequest, lead: Member, form: TokenForm, *, made: Made | None = None, status: int = 200
) -> HttpResponse:
    context = {"rows": tokens.listed(lead.project), "form": form, "made": made}
    return project_page(request, lead, "tokens/tokens.html", context, tab="settings", status=status)
