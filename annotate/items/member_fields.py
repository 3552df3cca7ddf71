"""Fields for a member of the project: a list in a small project, the user name with suggestions in a large one."""

import re
from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.db.models import Q, QuerySet
from django.forms.renderers import BaseRenderer
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from annotate.models import Member, Project, User
from annotate.web.access import READERS, membership

FEW = 50  # members that a list offers: five lists of a thousand made the page of items 450 kB long
SUGGESTED = 20
NUMBER = re.compile(r"[0-9]{1,18}")
NO_MEMBER = _("No member has the user name “%(value)s”. Enter the name that they sign in with.")

Words = Sequence[tuple[str, Any]]


class MemberInput(forms.TextInput):
    """A text field for a user name. Names are suggested while somebody types; words, (value, label), always."""

    def __init__(self, project: Project, words: Words = ()) -> None:
        super().__init__({"maxlength": 150, "autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"})
        self.project, self.words = project, words

    def render(
        self, name: str, value: Any, attrs: dict[str, Any] | None = None, renderer: BaseRenderer | None = None
    ) -> SafeString:
        suggestions = f"{(attrs or {}).get('id') or name}-names"
        fetching = {
            "list": suggestions,
            "hx-get": reverse("member_names", args=[self.project.slug]),
            "hx-trigger": "input changed delay:200ms",
            "hx-target": f"#{suggestions}",
            "hx-sync": "this:replace",
        }
        field = super().render(name, value, {**(attrs or {}), **fetching}, renderer)
        options = format_html_join("", '<option value="{}">{}</option>', self.words)
        return format_html('{}<datalist id="{}">{}</datalist>', field, suggestions, options)


class MemberFilterField(forms.CharField):
    """Cleans to a word such as `anyone`, or to the number of an account as text, as addresses of lists have it.

    In a large project people type a user name. A number is first that of an account, then a name.
    """

    words: Words
    project: Project

    def __init__(self, *, words: Words = (), **options: Any) -> None:
        super().__init__(required=False, max_length=150, **options)
        self.words = [("anyone", _("anyone")), *words]

    def offer(self, project: Project, members: Sequence[Member]) -> None:
        """members: of the project, as `few_members` gives them."""
        self.project, self.found = project, dict[str, Member | None]()
        if len(members) > FEW:
            self.widget = MemberInput(project, self.words)
        else:
            people = [(str(member.user_id), str(member.user)) for member in members]
            self.widget = forms.Select(choices=[("", _("all")), *self.words, *people])

    def clean(self, value: Any) -> str:
        text = str(super().clean(value))
        if not text or text in dict(self.words):
            return text
        if member := self._member(text):
            return str(member.user_id)
        if NUMBER.fullmatch(text):  # of somebody who has left
            return text
        raise ValidationError(NO_MEMBER, params={"value": text})

    def prepare_value(self, value: Any) -> Any:
        member = self._member(value) if value and isinstance(self.widget, MemberInput) else None
        return member.user.username if member else value

    def in_words(self, value: str) -> str:
        choices = {str(choice): label for choice, label in getattr(self.widget, "choices", self.words)}
        member = None if value in choices else self._member(value)
        return str(choices.get(value, member.user if member else value))

    def _member(self, text: str) -> Member | None:
        if text not in self.found:
            condition = Q(user__username=text) | (Q(user=int(text)) if NUMBER.fullmatch(text) else Q())
            members = self.project.members.filter(condition).select_related("user")
            self.found[text] = min(members, key=lambda member: str(member.user_id) != text, default=None)
        return self.found[text]


def few_members(project: Project) -> list[Member]:
    """All members, or one more than a list offers."""
    return list(project.members.select_related("user")[: FEW + 1])


def offer_members(field: forms.Field, people: QuerySet[Any], project: Project, *, username: str) -> None:
    """Let a field choose among these people; username: the column, as seen from them."""
    assert isinstance(field, forms.ModelChoiceField)
    field.queryset = people
    if people[: FEW + 1].count() > FEW:
        field.to_field_name, field.widget = username, MemberInput(project)
        field.widget.is_required = field.required
        field.error_messages["invalid_choice"] = NO_MEMBER


@require_safe
@login_required
def member_names(request: HttpRequest, slug: str) -> HttpResponse:
    """Options for a `MemberInput`; what was typed is the only parameter, under the name of the field."""
    project = membership(request, slug, READERS).project
    text = "".join(map(str, request.GET.values())).strip()[:150]
    names = ("username", "display_name", "first_name", "last_name")
    condition = Q(*((f"{name}__icontains", text) for name in names), _connector=Q.OR)
    people = User.objects.filter(condition, memberships__project=project).order_by("username")
    return render(request, "items/_member_names.html", {"people": people[:SUGGESTED] if text else ()})
