from collections.abc import Iterator, Mapping
from email.utils import parseaddr
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator, validate_email
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST

from annotate import hidden_checks
from annotate.errors import Refused
from annotate.items import queue
from annotate.models import Invitation, Item, Member, Slot
from annotate.option_forms.fields import described
from annotate.option_forms.forms import Effect, SettingsForm, settings_answer
from annotate.people import accounts
from annotate.people.accounts import Invitee
from annotate.people.members import add_accounts, member_rows, remove_member, save_member
from annotate.web import rate_limits
from annotate.web.access import LEADS, WordsField, membership, person, project_page
from annotate.web.pager import numbered_page
from lib.texts.listing import listed

LONGEST_INVITATION = 90  # days
MOST_INVITED = 50
LONGEST_NOTE = 120  # as in the table
MEMBERS_PER_PAGE = 100


def offer_roles(form: forms.ModelForm) -> None:
    """All roles and no empty row: everybody in a project has one."""
    role: Any = form.fields["role"]
    role.choices = Member.Role.choices


class MemberForm(SettingsForm, forms.ModelForm):
    sections = (
        (_("Access"), ("role",)),
        (_("Limits"), ("daily_limit", "total_limit", "languages", "groups")),
    )
    languages = WordsField(
        label=_("Only these languages"), required=False, max_length=400, help_text=_("Codes, such as en, zh.")
    )
    groups = WordsField(
        label=_("Only these groups"), required=False, max_length=4000, help_text=_("Names as in the list of items.")
    )

    class Meta:
        model = Member
        fields = ["role", "daily_limit", "total_limit", "languages", "groups"]
        labels = {"daily_limit": _("Daily limit"), "total_limit": _("Total limit")}

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        offer_roles(self)
        for name, unit in (("daily_limit", _("items a day")), ("total_limit", _("items"))):
            described(self.fields[name], unit=unit, example="50")
        self.remember({name: getattr(self.instance, name) for name in self.Meta.fields})

    @property
    def entered(self) -> dict[str, Any]:
        return {name: self.cleaned_data[name] for name in self.Meta.fields}


class InviteesField(forms.CharField):
    """People to invite, one per line: a name, an address, or both. No line is one person without a name."""

    widget = forms.Textarea(attrs={"rows": 3})

    def to_python(self, value: Any) -> list[Invitee]:  # type: ignore[override]  # a CharField that reads a list
        lines = dict.fromkeys(line.strip() for line in (super().to_python(value) or "").splitlines())
        invitees = [self._invitee(line) for line in lines if line]
        if len(invitees) > MOST_INVITED:
            raise ValidationError(_("At most %(most)d people at once."), params={"most": MOST_INVITED})
        return invitees or [Invitee()]

    def _invitee(self, line: str) -> Invitee:
        note, email = parseaddr(line) if "@" in line else (line, "")
        if "@" in line:
            validate_address(email, line)
        if len(note) > LONGEST_NOTE:
            raise ValidationError(_("This name is too long: “%(line)s”."), params={"line": line})
        return Invitee(note=note, email=email)


def validate_address(email: str, line: str) -> None:
    try:
        validate_email(email)
    except ValidationError as fault:
        raise ValidationError(_("This is no e-mail address: “%(line)s”."), params={"line": line}) from fault


class InvitationForm(forms.ModelForm):
    invitees = InviteesField(
        label=_("Invitees, one per line"),
        required=False,
        help_text=_(
            "A name for your list, an e-mail address, or both, such as Hanna Berg &lt;hanna@example.org&gt;. Each line "
            "gets a link. People with an account sign in with it."
        ),
    )
    days = forms.IntegerField(
        label=_("Expires in (days)"),
        initial=14,
        validators=[MinValueValidator(1), MaxValueValidator(LONGEST_INVITATION)],
    )

    class Meta:
        model = Invitation
        fields = ["role"]
        labels = {"role": _("Role")}

    field_order = ("invitees", "role", "days")

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        offer_roles(self)
        self.fields["role"].initial = Member.Role.ANNOTATOR


class AccountsForm(forms.ModelForm):
    usernames = WordsField(
        label=_("User names"),
        max_length=2000,
        help_text=_("As they sign in, separated by commas. They see the project at once."),
    )

    class Meta:
        model = Member
        fields = ["role"]
        labels = {"role": _("Role")}

    field_order = ("usernames", "role")

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.auto_id = "account_%s"  # beside the form of invitations
        offer_roles(self)
        self.fields["role"].initial = Member.Role.ANNOTATOR

    def clean_usernames(self) -> list[str]:
        usernames: list[str] = self.cleaned_data["usernames"]
        if len(usernames) > MOST_INVITED:
            raise ValidationError(_("At most %(most)d people at once."), params={"most": MOST_INVITED})
        return usernames


INVITATIONS_SHOWN = 50
ADDITIONS_AN_HOUR = 30  # by one person: nobody finds out by trying which accounts there are


@login_required
def people(request: HttpRequest, slug: str) -> HttpResponse:
    return _people_page(request, membership(request, slug, LEADS), InvitationForm())


@require_POST
@login_required
def invite(request: HttpRequest, slug: str) -> HttpResponse:
    lead = membership(request, slug, LEADS)
    form = InvitationForm(request.POST)
    if not form.is_valid():
        return _people_page(request, lead, form, status=422)
    try:
        invitations = accounts.invite_all(project=lead.project, by=person(request), **form.cleaned_data)
    except Refused as refused:
        form.add_error("role", str(refused))
        return _people_page(request, lead, form, status=422)
    created = ngettext(
        "Link created. Copy it below and pass it on; it works once.",
        "%(count)d links created. Copy them below and pass them on; each works once.",
        len(invitations),
    )
    messages.success(request, created % {"count": len(invitations)})
    return redirect(reverse("people", args=[slug]) + "#invitations")


@require_POST
@login_required
def people_add(request: HttpRequest, slug: str) -> HttpResponse:
    """Add people who have accounts, by their exact names; the page lists no accounts."""
    lead = membership(request, slug, LEADS)
    form = AccountsForm(request.POST)
    if form.is_valid():
        try:
            if not rate_limits.within(f"people-{person(request).pk}", ADDITIONS_AN_HOUR, rate_limits.HOUR):
                raise Refused(gettext("You have tried this many times. Try again in an hour, or create links below."))
            added = add_accounts(project=lead.project, **form.cleaned_data)
        except Refused as refused:
            form.add_error("usernames", str(refused))
        else:
            names = listed(member.user for member in added)
            messages.success(request, gettext("Added: %(names)s.") % {"names": names})
            return redirect("people", slug)
    return _people_page(request, lead, InvitationForm(), adding=form, status=422)


@require_POST
@login_required
def invitation_revoke(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    lead = membership(request, slug, LEADS)
    invitation = get_object_or_404(lead.project.invitations, pk=pk)
    try:
        accounts.revoke(invitation)
    except Refused as refused:
        return render(request, "409.html", {"reason": refused, "again": reverse("people", args=[slug])}, status=409)
    messages.success(request, gettext("The link no longer works."))
    return redirect("people", slug)


@login_required
def member(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    lead = membership(request, slug, LEADS)
    changed = _member_of(lead, pk)
    form = MemberForm(request.POST or None, instance=changed)

    def page(*, status: int = 200, **more: Any) -> HttpResponse:
        context = {"form": form, "person": changed.user, "changed": changed} | more
        return project_page(request, lead, "people/member.html", context, tab="people", status=status)

    def save() -> HttpResponse:
        stored = _member_of(lead, pk)  # the form has written into its own copy already
        if save_member(stored, by=person(request), opened=form.opened, entered=form.entered):
            messages.info(request, gettext("What somebody else changed meanwhile was kept."))
        messages.success(request, gettext("Saved: %(name)s.") % {"name": changed.user})
        return redirect("people", slug)

    def changes() -> list[Effect]:
        return effects(_member_of(lead, pk), form.entered)

    return settings_answer(request, form, page=page, effects=changes, save=save, blamed="role")


@login_required
def member_remove(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    lead = membership(request, slug, LEADS)
    leaving = _member_of(lead, pk)
    if request.method != "POST":
        return project_page(request, lead, "people/remove.html", {"leaving": leaving}, tab="people")
    try:
        count = remove_member(leaving, by=person(request))
    except Refused as refused:
        context = {"leaving": leaving, "refused": refused}
        return project_page(request, lead, "people/remove.html", context, tab="people", status=422)
    back = ngettext(
        "%(count)d of their items is back in the queue.", "%(count)d of their items are back in the queue.", count
    )
    messages.success(request, gettext("%(name)s removed.") % {"name": leaving.user} + " " + back % {"count": count})
    return redirect("home" if leaving.user_id == person(request).pk else reverse("people", args=[slug]))


def _member_of(lead: Member, pk: int) -> Member:
    member = lead.project.members.select_related("user").filter(pk=pk).first()
    if member is None:
        raise Http404
    member.project = lead.project
    return member


def _people_page(
    request: HttpRequest,
    lead: Member,
    form: InvitationForm,
    *,
    adding: AccountsForm | None = None,
    status: int = 200,
) -> HttpResponse:
    invitations = accounts.listed(lead.project, most=INVITATIONS_SHOWN)
    context = {
        "page": numbered_page(request, member_rows(lead.project), MEMBERS_PER_PAGE),
        "invitations": invitations,
        "form": form,
        "adding": adding or AccountsForm(),
    }
    return project_page(request, lead, "people/people.html", context, tab="people", status=status)


# The effects of another role or other limits on a person's work, counted before they are stored.


COUNTED_AT_MOST = 1000  # slots


def effects(member: Member, values: Mapping[str, Any]) -> list[Effect]:
    """member: with project and user, as stored; values: columns as they would be stored. Empty if nothing changes."""
    columns = {field.attname: getattr(member, field.attname) for field in Member._meta.concrete_fields}
    changed = {name for name, value in values.items() if value != columns[name]}
    if not changed:
        return []
    after = Member(**columns | dict(values))
    after.project, after.user = member.project, member.user
    counted = [*_of_the_role(member, after), *_of_the_limits(after, changed), *_of_the_queue(member, after, changed)]
    return counted or [Effect(gettext("Nothing changes for what this person has in hand or has submitted."))]


def _of_the_role(before: Member, after: Member) -> Iterator[Effect]:
    if before.role == after.role:
        return
    held = Slot.objects.filter(project=before.project_id).held_by(before.user).exclude(stage__in=after.stages)
    if n := held.count():
        text = ngettext(
            "%(n)d item goes back into the queue; the draft stays theirs.",
            "%(n)d items go back into the queue; the drafts stay theirs.",
            n,
        )
        yield Effect(text % {"n": n}, n, stops=True)
    was_closed = before.annotates and hidden_checks.must_calibrate(before)
    if after.annotates and hidden_checks.must_calibrate(after) and not was_closed:
        yield Effect(gettext("This person will be paused until they pass the calibration."), 1, stops=True)


def _of_the_limits(after: Member, changed: set[str]) -> Iterator[Effect]:
    if changed & {"daily_limit", "total_limit"} and queue.reached_limit(after):
        yield Effect(gettext("They have reached this limit already: they get no more items for now."), stops=True)


def _of_the_queue(before: Member, after: Member, changed: set[str]) -> Iterator[Effect]:
    if not changed & {"languages", "groups"}:
        return
    for column, message in (
        ("language", gettext("No item has one of these languages:")),
        ("group", gettext("No item has one of these groups:")),
    ):
        names = [name for name in getattr(after, f"{column}s") if not _is_used(after, column, name)]
        if names:
            yield Effect(message, len(names), stops=True, names=names)
    old, new = _within_reach(before), _within_reach(after)
    text = gettext("Items in the queue that can go to them: %(new)s (instead of: %(old)s).")
    yield Effect(text % {"old": _up_to(old), "new": _up_to(new)}, new, stops=not new)


def _is_used(member: Member, column: str, name: str) -> bool:
    return Item.objects.filter(project=member.project_id, **{column: name}).exists()


def _within_reach(member: Member) -> int:
    slots = queue.candidates(member, Slot.Stage.ANNOTATE, timezone.now()) if member.annotates else Slot.objects.none()
    return slots.order_by().values("pk")[: COUNTED_AT_MOST + 1].count()


def _up_to(n: int) -> str:
    return str(n) if n <= COUNTED_AT_MOST else gettext("more than %(n)d") % {"n": COUNTED_AT_MOST}
