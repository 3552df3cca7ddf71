from django import forms
from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import BaseUserCreationForm
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache

from annotate.models import Invitation, User
from annotate.services import inviting, password_links, rights
from annotate.services.errors import Refused
from annotate.views.access import person


class JoinForm(BaseUserCreationForm):
    """A new account, made by a link."""

    class Meta:
        model = User
        fields = ["username", "display_name"]


@never_cache
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    stored_invitation = Invitation.objects.select_related("project", "created_by").filter(token=token).first()
    if stored_invitation is None or not inviting.unused().filter(pk=stored_invitation.pk).exists():
        return render(request, "invitations/gone.html", status=404)
    if rights.giver(stored_invitation) is None:
        return _lapsed(request)
    if request.user.is_authenticated:
        return (
            _join(request, stored_invitation, person(request))
            if request.method == "POST"
            else _ask(request, stored_invitation, None)
        )
    form = JoinForm(request.POST or None)
    if request.method != "POST":
        return _ask(request, stored_invitation, form)
    return (
        _make_account(request, stored_invitation, form)
        if form.is_valid()
        else _ask(request, stored_invitation, form, status=422)
    )


def _ask(
    request: HttpRequest, invitation: Invitation, form: JoinForm | None, *, refused: str = "", status: int = 200
) -> HttpResponse:
    context = {"invitation": invitation, "form": form, "refused": refused}
    return render(request, "invitations/invitation.html", context, status=status)


def _lapsed(request: HttpRequest) -> HttpResponse:
    """Without the names of the project and of whoever made the link: its holder has no part in either."""
    return render(request, "invitations/lapsed.html", status=404)


def _make_account(request: HttpRequest, invitation: Invitation, form: JoinForm) -> HttpResponse:
    try:
        with transaction.atomic():
            user = form.save()
            inviting.accept(invitation, user=user)
    except inviting.Lapsed:
        return _lapsed(request)
    except Refused as refused:
        return _ask(request, invitation, form, refused=str(refused), status=409)
    login(request, user, backend="django.contrib.auth.backends.ModelBackend")
    return _welcome(request, invitation)


def _join(request: HttpRequest, invitation: Invitation, user: User) -> HttpResponse:
    try:
        inviting.accept(invitation, user=user)
    except inviting.Lapsed:
        return _lapsed(request)
    except Refused as refused:
        return _ask(request, invitation, None, refused=str(refused), status=409)
    return _welcome(request, invitation)


def _welcome(request: HttpRequest, invitation: Invitation) -> HttpResponse:
    messages.success(request, _("Welcome to %(project)s.") % {"project": invitation.project})
    return redirect("guidelines", invitation.project.slug)


class ResetForm(forms.Form):
    username = forms.CharField(label=gettext_lazy("Account"), max_length=150)


@never_cache
@login_required
def reset_links(request: HttpRequest) -> HttpResponse:
    """Staff make a link by which somebody chooses a new password, where no mail server can send one."""
    staff = person(request)
    if not staff.is_staff:
        raise PermissionDenied(_("Only administrators make password links."))
    form, link = ResetForm(request.POST or None), ""
    if request.method == "POST" and form.is_valid():
        user = User.objects.filter(username=form.cleaned_data["username"], is_active=True).first()
        if user is None:
            form.add_error("username", _("There is no such account, or it is switched off."))
        elif not rights.may_reset_password(by=staff, of=user):
            form.add_error("username", _("Only a superuser makes a link for a superuser."))
        else:
            link = request.build_absolute_uri(password_links.password_link(user, by=staff))
    status = 422 if form.errors else 200
    return render(request, "invitations/reset_links.html", {"form": form, "link": link}, status=status)
