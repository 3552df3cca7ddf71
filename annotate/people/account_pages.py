"""Pages of one's account: invitations, password links, preferences, the own record, and tokens of a project.

The own record shows everything that is stored about oneself, in words and as a file. Nobody sees another's record.
"""

from functools import partial

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import BaseUserCreationForm
from django.core.exceptions import PermissionDenied, ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import transaction
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import translation
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from annotate import rights
from annotate.errors import Refused
from annotate.models import Guideline, Invitation, Member, User
from annotate.notices import digests
from annotate.people import accounts, tokens
from annotate.people.own_record import as_file, recorded_about
from annotate.people.tokens import NewToken
from annotate.web.access import LEADS, listed_or_made, membership, person, project_page
from annotate.web.pager import numbered_page
from annotate.work import keys


class JoinForm(BaseUserCreationForm):
    """The form for a new account, opened by an invitation link."""

    class Meta:
        model = User
        fields = ["username", "display_name"]


@never_cache
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    stored_invitation = Invitation.objects.select_related("project", "created_by").filter(token=token).first()
    if stored_invitation is None or not accounts.unused().filter(pk=stored_invitation.pk).exists():
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
    """Shown without the names of the project and of the link's maker: the holder of a lapsed link may see neither."""
    return render(request, "invitations/lapsed.html", status=404)


def _make_account(request: HttpRequest, invitation: Invitation, form: JoinForm) -> HttpResponse:
    try:
        with transaction.atomic():
            user = form.save()
            accounts.accept(invitation, user=user)
    except accounts.Lapsed:
        return _lapsed(request)
    except Refused as refused:
        return _ask(request, invitation, form, refused=str(refused), status=409)
    login(request, user, backend="django.contrib.auth.backends.ModelBackend")
    return _welcome(request, invitation)


def _join(request: HttpRequest, invitation: Invitation, user: User) -> HttpResponse:
    try:
        accounts.accept(invitation, user=user)
    except accounts.Lapsed:
        return _lapsed(request)
    except Refused as refused:
        return _ask(request, invitation, None, refused=str(refused), status=409)
    return _welcome(request, invitation)


def _welcome(request: HttpRequest, invitation: Invitation) -> HttpResponse:
    messages.success(request, _("Welcome to %(project)s.") % {"project": invitation.project})
    if Guideline.objects.filter(project=invitation.project).exists():
        return redirect("guidelines", invitation.project.slug)
    return redirect("home")


class ResetForm(forms.Form):
    username = forms.CharField(label=gettext_lazy("Account"), max_length=150)


@never_cache
@login_required
def reset_links(request: HttpRequest) -> HttpResponse:
    """Staff make a link for choosing a new password, on installations without a mail server."""
    staff = person(request)
    if not staff.is_staff:
        raise PermissionDenied(_("Only administrators can create password links."))
    form, link = ResetForm(request.POST or None), ""
    if request.method == "POST" and form.is_valid():
        user = User.objects.filter(username=form.cleaned_data["username"], is_active=True).first()
        if user is None:
            form.add_error("username", _("There is no such account, or it is deactivated."))
        elif not rights.may_reset_password(by=staff, of=user):
            form.add_error("username", _("Only a superuser can create a link for a superuser."))
        else:
            link = request.build_absolute_uri(accounts.password_link(user, by=staff))
    status = 422 if form.errors else 200
    return render(request, "invitations/reset_links.html", {"form": form, "link": link}, status=status)


A_YEAR = 365 * 24 * 3600


class PersonForm(forms.ModelForm):
    """A person's display settings, and what others see of them."""

    class Meta:
        model = User
        fields = ["display_name", "email", "mails", "language", "theme"]

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        languages = [("", gettext_lazy("Browser default")), *settings.LANGUAGES]
        self.fields["language"] = forms.ChoiceField(
            label=self.fields["language"].label, choices=languages, required=False
        )
        self.fields["theme"].widget = forms.Select(choices=User.Theme.choices)
        self.fields["mails"].help_text = _mails_help()


def _mails_help() -> str:
    if not settings.MAIL_CONFIGURED:
        return _("This installation sends no mail: notifications are in your inbox only.")
    return _("To your e-mail address, in your language. Digests come at %(hour)s:00, weekly ones on Mondays.") % {
        "hour": digests.HOUR
    }


class KeysForm(forms.Form):
    """One key for each action; an empty field means the default."""

    def __init__(self, *args: object, own: dict[str, str], **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        for action in keys.ACTIONS:
            self.fields[action.name] = forms.CharField(
                label=str(action.label),
                required=False,
                max_length=12,
                initial=own.get(action.name, action.key),
                widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
            )

    def clean(self) -> dict[str, str]:
        cleaned_data = super().clean() or {}
        try:
            return keys.read_keys(cleaned_data)
        except keys.BadKeys as bad:
            raise ValidationError({name: [error] for name, error in bad.errors.items()}) from bad


@login_required
def preferences(request: HttpRequest) -> HttpResponse:
    user = person(request)
    form_name = request.POST.get("form") if request.method == "POST" else None
    about = PersonForm(request.POST if form_name == "person" else None, instance=user, prefix="person")
    own_keys = KeysForm(request.POST if form_name == "keys" else None, own=user.keys, prefix="keys")
    if form_name == "person" and about.is_valid():
        return _saved(request, about.save())
    if form_name == "keys" and own_keys.is_valid():
        user.keys = own_keys.cleaned_data
        user.save(update_fields=["keys"])
        return _saved(request, user)
    context = {"about": about, "keys_form": own_keys}
    return render(request, "preferences.html", context, status=422 if form_name else 200)


def _saved(request: HttpRequest, user: User) -> HttpResponse:
    with translation.override(user.language or translation.get_language()):
        messages.success(request, _("Saved."))
    return redirect("preferences")


@require_POST
def preferences_theme(request: HttpRequest) -> HttpResponse:
    """The appearance menu of every page; without an account the choice is kept in a cookie."""
    theme = request.POST.get("theme", "")
    answer = redirect(_next(request))
    if theme not in User.Theme.values:
        return answer
    if request.user.is_authenticated:
        User.objects.filter(pk=request.user.pk).update(theme=theme)
    answer.set_cookie("theme", theme, max_age=A_YEAR, samesite="Lax", secure=request.is_secure(), httponly=True)
    return answer


@require_POST
def preferences_language(request: HttpRequest) -> HttpResponse:
    """The language button of every page; with an account the choice is stored and holds on other computers too."""
    language = request.POST.get("language", "")
    answer = redirect(_next(request))
    if language not in dict(settings.LANGUAGES):
        return answer
    if request.user.is_authenticated:
        User.objects.filter(pk=request.user.pk).update(language=language)
    answer.set_cookie(
        settings.LANGUAGE_COOKIE_NAME, language, max_age=A_YEAR, samesite="Lax", secure=request.is_secure()
    )
    return answer


def _next(request: HttpRequest) -> str:
    target = request.POST.get("next", "")
    safe = url_has_allowed_host_and_scheme(target, {request.get_host()}, require_https=request.is_secure())
    return target if safe and target.startswith("/") else reverse("home")


MEMBERSHIPS_PER_PAGE = 100


@never_cache
@login_required
def my_record(request: HttpRequest) -> HttpResponse:
    user = person(request)
    lines = recorded_about(user)
    memberships = Member.objects.of(user).select_related("project").order_by("project__name", "pk")
    context = {
        "lines": [line for line in lines if line.count],
        "none": [line for line in lines if not line.count],
        "members": numbered_page(request, memberships, MEMBERSHIPS_PER_PAGE),
    }
    return render(request, "recorded/mine.html", context)


@never_cache
@login_required
def my_record_json(request: HttpRequest) -> StreamingHttpResponse:
    answer = StreamingHttpResponse(as_file(person(request)), content_type="application/json; charset=utf-8")
    answer["Content-Disposition"] = 'attachment; filename="recorded-about-me.json"'
    return answer


TOKENS_PER_PAGE = 100


class TokenForm(forms.Form):
    """A key for one program."""

    name = forms.CharField(
        label=gettext_lazy("Name"), max_length=80, help_text=gettext_lazy("What it is for, such as “nightly export”.")
    )
    role = forms.ChoiceField(
        label=gettext_lazy("Role"),
        choices=Member.Role.choices,
        initial=Member.Role.VIEWER,
        help_text=gettext_lazy("The program acts as you, with the rights of this role."),
    )
    days = forms.IntegerField(
        label=gettext_lazy("Expires in (days)"),
        initial=90,
        required=False,
        validators=[MinValueValidator(1), MaxValueValidator(tokens.LONGEST)],
        help_text=gettext_lazy("Empty: it never expires."),
    )


@never_cache
@login_required
def token_list(request: HttpRequest, slug: str) -> HttpResponse:
    """The API tokens of the project; a new token is shown here, only once."""
    lead = membership(request, slug, LEADS)
    make = partial(tokens.make, by=lead)
    return listed_or_made(request, TokenForm, make=make, page=partial(_page, request, lead), blamed="role")


@require_POST
@login_required
def token_revoke(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    lead = membership(request, slug, LEADS)
    token = get_object_or_404(lead.project.tokens, pk=pk)
    if tokens.revoke(token):
        messages.success(request, _("“%(name)s” no longer works.") % {"name": token.name})
    else:
        messages.info(request, _("“%(name)s” was already revoked.") % {"name": token.name})
    return redirect("tokens", slug)


def _page(
    request: HttpRequest, lead: Member, form: TokenForm, *, made: NewToken | None = None, status: int = 200
) -> HttpResponse:
    page = numbered_page(request, lead.project.tokens.select_related("created_by"), TOKENS_PER_PAGE)
    context = {"page": page, "rows": tokens.listed(lead.project, page), "form": form, "made": made}
    return project_page(request, lead, "tokens/tokens.html", context, tab="tokens", status=status)
