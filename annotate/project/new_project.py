"""The page on which a project is created: kinds as cards, and an address that is made from the name."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.functional import Promise
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from annotate.acting import in_role
from annotate.definitions.templates import all_templates
from annotate.errors import Refused
from annotate.kinds import all_kinds
from annotate.kinds.contract import Kind
from annotate.kinds.questions.types.pair import Pair
from annotate.models import Member, Project, User
from annotate.project import actions
from annotate.web.access import person

LONGEST_ADDRESS = 60
LONGEST_FACT = 90  # characters of a fact on a card


@dataclass(frozen=True)
class KindCard:
    """A kind as people choose it, or a template of one whose questions are data.

    value: the kind's slug, or `kind:template`. facts: (name, text) of a sample row, as the file names them. pictures:
    the drawing to show is the first of these that exists. result: what the numbers of such a project say.
    """

    value: str
    name: str | Promise
    about: str | Promise
    kind: Kind
    sample: str
    facts: list[tuple[str, str]]
    pictures: list[str]
    result: str | Promise


@dataclass(frozen=True)
class CardGroup:
    """about: what the cards of the group have in common, and the others do not. anchor: its id on the page."""

    anchor: str
    name: str | Promise
    about: str | Promise
    cards: list[KindCard]


def all_cards() -> dict[str, KindCard]:
    """value -> card, of all kinds and templates."""
    return {card.value: card for kind in all_kinds().values() for card in _cards_of(kind)}


def _cards_of(kind: Kind) -> Iterator[KindCard]:
    if not kind.defined:
        pictures = [kind.picture_template]
        facts = list(_shown(kind.sample_facts))
        yield KindCard(kind.slug, kind.name, kind.about, kind, kind.sample, facts, pictures, _result_of(kind))
        return
    for template in all_templates().values():
        defined = kind.by_definition([template.definition])
        facts = list(_shown(defined.read_row(template.first_row).facts))
        value = f"{kind.slug}:{template.slug}"
        pictures = [template.picture_template, kind.picture_template]
        result = _result_of(defined)
        yield KindCard(value, template.name, template.about, kind, template.sample, facts, pictures, result)


def _result_of(kind: Kind) -> Promise:
    if kind.perturbs:
        return gettext_lazy("Result: what judges overlook, by sort of change")
    if kind.holds_pairs or kind.voted == "preference" or any(isinstance(q, Pair) for q in kind.questions().values()):
        return gettext_lazy("Result: a ranking of models")
    if kind.judges_answers:
        return gettext_lazy("Result: a leaderboard of models, scored by judges")
    if kind.voted or kind.judges_items:
        return gettext_lazy("Result: how far people agree, and judges with them")
    return gettext_lazy("Result: a dataset")


def card_groups() -> list[CardGroup]:
    """All kinds by what people do in them."""
    cards = list(all_cards().values())
    return [
        CardGroup(
            "own",
            gettext_lazy("Ask your own questions"),
            gettext_lazy("Each card is a beginning: its columns and questions are yours to change."),
            [card for card in cards if card.kind.defined],
        ),
        CardGroup(
            "votes",
            gettext_lazy("Vote on answers"),
            gettext_lazy("Fixed, blind pages that compare models: a study draws the votes, boards count them."),
            [card for card in cards if card.kind.voted],
        ),
        CardGroup(
            "texts",
            gettext_lazy("Write and correct"),
            gettext_lazy("Fixed pages on which people write texts, with review and suggestions of models."),
            [card for card in cards if not card.kind.voted and not card.kind.defined],
        ),
    ]


def _shown(facts: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in facts.items():
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        yield name, text if len(text) <= LONGEST_FACT else text[:LONGEST_FACT].rstrip() + "…"


class NewProjectForm(forms.Form):
    kind = forms.ChoiceField(label=gettext_lazy("Kind of work"), required=False)
    name = forms.CharField(label=gettext_lazy("Name"), max_length=120)
    slug = forms.SlugField(
        label=gettext_lazy("Address"),
        required=False,
        max_length=LONGEST_ADDRESS,
        help_text=gettext_lazy(
            "Made from the name if you leave it empty: lowercase letters, digits, hyphens. Can't be changed later."
        ),
    )
    source = forms.ModelChoiceField(
        Project.objects.none(),
        label=gettext_lazy("Copy settings from"),
        required=False,
        empty_label=gettext_lazy("none: use the kind's default settings"),
        help_text=gettext_lazy(
            "Kind, options, guidelines, reviews, lease and the other settings of that project; no items."
        ),
    )
    with_people = forms.BooleanField(label=gettext_lazy("Copy its people and their limits too"), required=False)

    def __init__(self, *args: Any, lead: User, **options: Any) -> None:
        super().__init__(*args, **options)
        fields: dict[str, Any] = self.fields
        fields["kind"].choices = [(value, card.name) for value, card in all_cards().items()]
        fields["source"].queryset = led_by(lead)

    def clean(self) -> dict[str, Any]:
        cleaned_data = super().clean() or {}
        if not cleaned_data.get("kind") and not cleaned_data.get("source") and "kind" not in self.errors:
            self.add_error("kind", _("Choose a kind of work, or a project to copy."))
        return cleaned_data

    def make(self, lead: User) -> Project:
        """Raises Refused."""
        cleaned_data, source = self.cleaned_data, self.cleaned_data["source"]
        kind, _colon, template = (source.kind_slug if source else cleaned_data["kind"]).partition(":")
        address = cleaned_data["slug"] or free_address(cleaned_data["name"], kind)
        if source:
            return actions.copy_project(
                source=source,
                slug=address,
                name=cleaned_data["name"],
                lead=lead,
                with_people=cleaned_data["with_people"],
            )
        definition = all_templates()[template].definition if template else ""
        return actions.start_project(
            slug=address, kind=kind, name=cleaned_data["name"], lead=lead, definition=definition
        )


def free_address(name: str, kind: str) -> str:
    """An address that no project has, made from a name; from the kind if the name has no Latin letter or digit.

    static/js/new_project.js shows the same address while the name is typed, without the number that makes it free.
    """
    base = (slugify(name) or slugify(kind.replace("_", "-")))[:LONGEST_ADDRESS].strip("-_")
    taken = set(Project.objects.filter(slug__startswith=base[: LONGEST_ADDRESS - 6]).values_list("slug", flat=True))
    number, address = 1, base
    while address in taken:
        number += 1
        address = f"{base[: LONGEST_ADDRESS - 6].rstrip('-_')}-{number}"
    return address


def led_by(user: User) -> Any:
    return Project.objects.filter(members__user=user, members__role=Member.Role.LEAD)


def may_make_projects(user: User) -> bool:
    """Administrators, and everybody who leads a project already."""
    return user.is_staff or led_by(user).exists()


@login_required
def project_new(request: HttpRequest) -> HttpResponse:
    user = person(request)
    if not may_make_projects(user):
        raise PermissionDenied(_("Only administrators and leads can create projects. Ask one of them."))
    in_role(user, Member.Role.LEAD, None)
    form = NewProjectForm(request.POST or None, initial={"source": request.GET.get("source")}, lead=user)
    if request.method == "POST" and form.is_valid():
        try:
            project = form.make(user)
        except Refused as refused:
            form.add_error("slug", str(refused))
        else:
            messages.success(request, _("%(name)s created. Next: import items.") % {"name": project})
            return redirect("overview", project.slug)
    context = {"form": form, "groups": card_groups()}
    return render(request, "projects/new.html", context, status=422 if form.errors else 200)


@require_safe
@login_required
def kind_sample(request: HttpRequest) -> HttpResponse:
    """A few rows of the kind, or of the template, that ?kind= names: to import or to copy their shape."""
    card = all_cards().get(request.GET.get("kind", ""))
    if card is None:
        raise Http404
    name = card.value.replace(":", "-")
    headers = {"Content-Disposition": f'attachment; filename="{name}-example.jsonl"'}
    return HttpResponse(card.sample, content_type="application/jsonl; charset=utf-8", headers=headers)
