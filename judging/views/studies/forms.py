"""What a lead says of a draw. Choices come from the project; anything else is refused beside its field."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotate.kinds import all_kinds
from annotate.models import Member, Project, User
from judging.models import Author
from judging.services.cases import cases, judgeable
from judging.services.studies.planning import GROUP, Wish

LARGEST_SEED = 2**31 - 1
VOTES = [(kind.slug, kind.name) for kind in all_kinds().values() if kind.answers_shown]


class DrawForm(forms.Form):
    kind = forms.ChoiceField(label=_("Vote"), choices=VOTES)
    authors = forms.MultipleChoiceField(label=_("Whose answers"), widget=forms.CheckboxSelectMultiple)
    items = forms.IntegerField(label=_("Items to draw"), initial=100, min_value=1, max_value=1_000_000)
    by = forms.ChoiceField(
        label=_("Shares as in"), help_text=_("Each part of it gives as many items as its share of all.")
    )
    overlap = forms.IntegerField(label=_("People who vote on each"), initial=2, min_value=1, max_value=50)
    seed = forms.IntegerField(
        label=_("Seed"), min_value=0, max_value=LARGEST_SEED, help_text=_("The same seed draws the same.")
    )
    into = forms.SlugField(
        label=_("Address of the project in which people vote"),
        max_length=60,
        help_text=_("One of yours of this kind, or a new address: the project is made, and you lead it."),
    )
    name = forms.CharField(label=_("Name of the study"), max_length=120, required=False)

    def __init__(self, *args: Any, project: Project, user: User, **options: Any) -> None:
        super().__init__(*args, **options)
        self.project, self.user = project, user
        fields: dict[str, Any] = self.fields
        names = Author.objects.filter(project=project, answers__isnull=False).distinct().order_by("name")
        fields["authors"].choices = [(one.name, one.name) for one in names]
        fields["by"].choices = divisions(project)

    def clean_into(self) -> str:
        """Somebody else's project is refused in the same words as one that cannot be made."""
        into: str = self.cleaned_data["into"]
        theirs = Member.objects.filter(project__slug=into, user=self.user, role=Member.Role.LEAD)
        if Project.objects.filter(slug=into).exists() and not theirs.exists():
            raise forms.ValidationError(_("This address is taken. Choose another."))
        return into

    def wish(self) -> Wish:
        """What the form says, where it is valid."""
        said = self.cleaned_data
        return Wish(
            source=self.project,
            kind=all_kinds()[said["kind"]],
            authors=said["authors"],
            items=said["items"],
            seed=said["seed"],
            by=said["by"],
            target=Project.objects.filter(slug=said["into"]).first(),
        )


def divisions(project: Project) -> list[tuple[str, Any]]:
    """Groups, and the divisions by which judges' reports are divided, as the first item names them."""
    if not project.kind.judges_answers:
        return [(GROUP, _("Groups"))]
    first = next(cases(judgeable(project).order_by("pk")[:1]), None)
    named = sorted(first.judged.labels) if first else []
    return [(GROUP, _("Groups")), *((name, name) for name in named)]
