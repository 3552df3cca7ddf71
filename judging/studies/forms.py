"""The form of a draw. Choices come from the project; anything else is an error at its field."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotate.kinds import all_kinds
from annotate.models import Member, Project, User
from judging.answers.cases import cases, judgeable
from judging.models import Author
from judging.studies.designs import ALL, DESIGNS, GROUP, MASKED, NAMES, Blinding, Design, DrawPlan
from judging.studies.masking import PHRASES

LARGEST_SEED = 2**31 - 1
LONGEST_LIST = 20_000
REPETITIONS, BLINDING = ("repeats", "apart"), ("named", "also", "never", "phrases")
BEGUN = ("repeats", "apart", "phrases")  # optional, with the usual value as initial value
VOTES = [(kind.slug, kind.name) for kind in all_kinds().values() if kind.answers_shown]


def _number(least: int, most: int, **options: Any) -> forms.IntegerField:
    return forms.IntegerField(min_value=least, max_value=most, **options)


def _list(rows: int = 2, **options: Any) -> forms.CharField:
    """One word or phrase on each line."""
    area = forms.Textarea(attrs={"rows": rows})
    return forms.CharField(widget=area, required=False, max_length=LONGEST_LIST, **options)


class DrawForm(forms.Form):
    kind = forms.ChoiceField(label=_("Vote"), choices=VOTES)
    authors = forms.MultipleChoiceField(label=_("Answers by"), widget=forms.CheckboxSelectMultiple)
    items = _number(1, 1_000_000, label=_("Items to draw"), initial=100)
    by = forms.ChoiceField(
        label=_("Stratify by"), help_text=_("Each part gets items in proportion to its share of all items.")
    )
    overlap = _number(1, 50, label=_("Voters per item"), initial=2)
    design = forms.ChoiceField(label=_("Design"), choices=list(DESIGNS.items()), initial=ALL)
    votes = _number(
        1,
        10_000_000,
        label=_("Vote budget"),
        required=False,
        help_text=_("Includes repeated votes; required for an adaptive design. Empty: all pairs that are drawn."),
    )
    per_item = _number(
        1,
        1000,
        label=_("Max. pairs per item"),
        required=False,
        help_text=_("For the random design. Empty: no limit; a question may then return with other answers."),
    )
    seed = _number(0, LARGEST_SEED, label=_("Seed"), help_text=_("The same seed gives the same sample."))
    into = forms.SlugField(
        label=_("Address of the voting project"),
        max_length=60,
        help_text=_(
            "A project of this kind that you lead, or a new address: then the project is created with you as lead."
        ),
    )
    name = forms.CharField(label=_("Study name"), max_length=120, required=False)

    repeats = forms.FloatField(
        label=_("Repeated votes, per cent"),
        min_value=0,
        max_value=100,
        initial=0,
        required=False,
        help_text=_("Pairs shown again to the same person with the sides swapped."),
    )
    apart = _number(1, 1000, label=_("Items in between"), initial=Design.apart, required=False)

    named = forms.ChoiceField(label=_("Texts that name a model"), choices=list(NAMES.items()), initial=MASKED)
    also = _list(
        label=_("Additional names"),
        help_text=_("One per line. Names, families and makers of all models are always searched for."),
    )
    never = _list(label=_("Names that are ordinary words"), help_text=_("One per line. These are ignored."))
    phrases = _list(
        rows=6,
        label=_("Self-identifying phrases"),
        help_text=_("One per line. … matches a few words in the same sentence. Empty: no search."),
    )

    def __init__(self, *args: Any, project: Project, user: User, **options: Any) -> None:
        super().__init__(*args, **options)
        self.project, self.user = project, user
        fields: dict[str, Any] = self.fields
        names = Author.objects.filter(project=project, answers__isnull=False).distinct().order_by("name")
        fields["authors"].choices = [(author.name, author.name) for author in names]
        fields["by"].choices = divisions(project)
        for name in BEGUN:
            fields[name].optional_unsaid = True

    @property
    def drawn(self) -> list[forms.BoundField]:
        return [self[name] for name in self.fields if name not in (*REPETITIONS, *BLINDING)]

    @property
    def folded(self) -> list[tuple[str, Any, bool, list[forms.BoundField]]]:
        """(id, heading, open, fields) of rarely used options; open if a value differs from the initial one."""
        groups = (("repetitions", _("Repetitions"), REPETITIONS), ("blinding", _("Blinding"), BLINDING))
        return [
            (word, heading, self._is_touched(names), [self[name] for name in names]) for word, heading, names in groups
        ]

    def _is_touched(self, names: Sequence[str]) -> bool:
        """Whether one of these lists of words differs from its initial value."""
        if not self.is_bound:
            return False
        posted = {name: _lines(self.data.get(name, "")) for name in names}
        offered = {name: _lines(str(self[name].initial or "")) for name in names}
        return any(posted[name] not in (offered[name], []) or name in self.errors for name in names)

    def clean_into(self) -> str:
        """Other people's projects get the same error as slugs that cannot be used."""
        into: str = self.cleaned_data["into"]
        own_memberships = Member.objects.filter(project__slug=into, user=self.user, role=Member.Role.LEAD)
        if Project.objects.filter(slug=into).exists() and not own_memberships.exists():
            raise forms.ValidationError(_("This address is taken. Choose another."))
        return into

    def wish(self) -> DrawPlan:
        """The draw plan of a valid form."""
        values = self.cleaned_data
        return DrawPlan(
            source=self.project,
            kind=all_kinds()[values["kind"]],
            authors=values["authors"],
            items=values["items"],
            seed=values["seed"],
            by=values["by"],
            target=Project.objects.filter(slug=values["into"]).first(),
            design=self._design(),
            blinding=self._blinding(),
        )

    def _blinding(self) -> Blinding:
        """The blinding. Without the field of phrases, as from a script, our own list applies; an empty list is kept."""
        values = self.cleaned_data
        phrases = _lines(values["phrases"]) if "phrases" in self.data else PHRASES
        return Blinding(values["named"] or MASKED, _lines(values["also"]), _lines(values["never"]), phrases)

    def _design(self) -> Design:
        values = self.cleaned_data
        return Design(
            name=values["design"] or ALL,
            overlap=values["overlap"],
            budget=values["votes"],
            repeats=(values["repeats"] or 0) / 100,
            apart=values["apart"] or Design.apart,
            per_item=values["per_item"] or 0,
        )


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def divisions(project: Project) -> list[tuple[str, Any]]:
    """Groups, and the divisions by which judges' reports are divided, as the first item names them."""
    if not project.kind.judges_answers:
        return [(GROUP, _("Groups"))]
    first_case = next(cases(judgeable(project).order_by("pk")[:1]), None)
    label_names = sorted(first_case.judged.labels) if first_case else []
    return [(GROUP, _("Groups")), *((name, name) for name in label_names)]
