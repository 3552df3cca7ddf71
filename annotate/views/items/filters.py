from typing import Any
from urllib.parse import urlencode

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from annotate.models import DROP_REASONS, Item, Member, Project
from annotate.models.work import SKIP_REASONS
from annotate.services.items.lists import FIRST_DAY, LAST_DAY, Filters

ALL = [("", _("all"))]
EVENTS = [
    ("accepted", _("accepted")),
    ("returned", _("sent back")),
    ("dropped", _("dropped")),
    ("restored", _("restored")),
    ("reopened", _("reopened")),
    ("submitted", _("submitted")),
]
ORDER_NAMES = [
    ("first", _("as imported")),
    ("last", _("newest first")),
    ("changed", _("changed last")),
    ("priority", _("highest priority")),
]
NOT_LISTED = _("Choose one of the list.")
person_or_anyone = RegexValidator(r"\A(anyone|[0-9]{1,18})\Z", NOT_LISTED)
holder = RegexValidator(r"\A(anyone|overdue|[0-9]{1,18})\Z", NOT_LISTED)
SMALL = [MinValueValidator(-32768), MaxValueValidator(32767)]
DAYS = [MinValueValidator(FIRST_DAY), MaxValueValidator(LAST_DAY)]
LARGE = [MinValueValidator(0), MaxValueValidator(2**63 - 1)]


class FilterForm(forms.Form):
    """Everything that a list of items can be filtered by. What is not a field here is never looked at."""

    q = forms.CharField(
        label=_("Key or title"), required=False, max_length=200, widget=forms.TextInput(attrs={"type": "search"})
    )
    state = forms.ChoiceField(label=_("State"), required=False, choices=ALL + Item.State.choices)
    group = forms.CharField(label=_("Group"), required=False, max_length=120)
    language = forms.CharField(label=_("Language"), required=False, max_length=12)
    assigned = forms.CharField(label=_("Assigned to"), required=False, validators=[person_or_anyone])
    held = forms.CharField(label=_("Held by"), required=False, validators=[holder])
    by = forms.CharField(label=_("Handed in by"), required=False, validators=[person_or_anyone])
    batch = forms.IntegerField(label=_("Import"), required=False, validators=LARGE)
    purpose = forms.ChoiceField(label=_("Purpose"), required=False, choices=ALL + Item.Purpose.choices)
    priority = forms.IntegerField(label=_("Priority"), required=False, validators=SMALL)
    drop_reason = forms.ChoiceField(label=_("Dropped as"), required=False, choices=[*ALL, *DROP_REASONS])
    comments = forms.ChoiceField(
        label=_("Comments"), required=False, choices=[*ALL, ("open", _("with unresolved comments"))]
    )
    returned = forms.CharField(label=_("Sent back to"), required=False, validators=[person_or_anyone])
    reviewed = forms.CharField(label=_("Reviewed work of"), required=False, validators=[person_or_anyone])
    skipped = forms.ChoiceField(
        label=_("Skipped as"), required=False, choices=[*ALL, ("any", _("whatever reason")), *SKIP_REASONS]
    )
    drafts = forms.ChoiceField(
        label=_("Drafts"), required=False, choices=[*ALL, ("left", _("unfinished, held by nobody"))]
    )
    minutes = forms.ChoiceField(
        label=_("Working time"),
        required=False,
        choices=[*ALL, ("counted", _("recorded")), ("none", _("none recorded"))],
    )
    event = forms.ChoiceField(label=_("What happened"), required=False, choices=[*ALL, *EVENTS])
    since = forms.DateField(
        label=_("from"), required=False, validators=DAYS, widget=forms.DateInput(attrs={"type": "date"})
    )
    until = forms.DateField(
        label=_("to"), required=False, validators=DAYS, widget=forms.DateInput(attrs={"type": "date"})
    )

    MAIN = ("q", "state", "group", "language", "assigned", "held")

    def __init__(self, data: QueryDict, *, project: Project, members: list[Member]) -> None:
        super().__init__(data, auto_id="filter-%s")
        self._offer_groups(project)
        self._offer_people(members)
        batches = list(project.batches.values_list("pk", "file_name")[:200])
        self.fields["batch"].widget = forms.Select(choices=[*ALL, *batches])
        for field in self.fields.values():
            look = "select" if isinstance(field.widget, forms.Select) else "textbox textbox--line"
            field.widget.attrs["class"] = look

    def _offer_groups(self, project: Project) -> None:
        groups = (
            Item.objects.filter(project=project).exclude(group="").order_by("group").values_list("group", flat=True)
        )
        offered = [(group, group) for group in groups.distinct()[:500]]
        self.fields["group"].widget = forms.Select(choices=[*ALL, *offered])

    def _offer_people(self, members: list[Member]) -> None:
        people = [(str(member.user_id), str(member.user)) for member in members]
        anyone = [*ALL, ("anyone", _("anyone"))]
        for name in ("assigned", "by", "returned", "reviewed"):
            self.fields[name].widget = forms.Select(choices=[*anyone, *people])
        overdue = ("overdue", _("somebody whose time has run out"))
        self.fields["held"].widget = forms.Select(choices=[*anyone, overdue, *people])

    def filters(self) -> Filters:
        return Filters(**self.cleaned_data)

    @property
    def address(self) -> str:
        """The filters that are set, as a query string: what "all matching" means, and what paging keeps."""
        return urlencode([(name, self.data[name]) for name in self.fields if self.data.get(name)])

    @property
    def main(self) -> list[Any]:
        return [self[name] for name in self.MAIN]

    @property
    def more(self) -> list[Any]:
        return [self[name] for name in self.fields if name not in self.MAIN]

    @property
    def more_in_use(self) -> int:
        return sum(bool(field.value()) for field in self.more)
