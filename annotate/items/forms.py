from collections import Counter
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db.models import Max, QuerySet
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.items.actions import Instruction, RefusalReason
from annotate.items.columns import metadata_names
from annotate.items.member_fields import MemberFilterField, offer_members
from annotate.items.queries import FIRST_DAY, LAST_DAY, ItemFilters, distinct_values, matching
from annotate.models import DROP_REASONS, Item, Member, Project, User
from annotate.models.media import FILES
from annotate.models.work import SKIP_REASONS

ALL = [("", gettext_lazy("all"))]
EVENTS = [
    ("accepted", gettext_lazy("accepted")),
    ("returned", gettext_lazy("returned")),
    ("dropped", gettext_lazy("dropped")),
    ("restored", gettext_lazy("restored")),
    ("reopened", gettext_lazy("reopened")),
    ("submitted", gettext_lazy("submitted")),
]
ORDER_NAMES = [
    ("first", gettext_lazy("as imported")),
    ("last", gettext_lazy("newest first")),
    ("changed", gettext_lazy("recently changed")),
    ("priority", gettext_lazy("highest priority")),
]
SMALL = [MinValueValidator(-32768), MaxValueValidator(32767)]
DAYS = [MinValueValidator(FIRST_DAY), MaxValueValidator(LAST_DAY)]
LARGE = [MinValueValidator(0), MaxValueValidator(2**63 - 1)]


class FilterChip(NamedTuple):
    """One active filter. rest: the query string without it."""

    label: str
    value: str
    rest: str


class ItemFilterForm(forms.Form):
    """All filters of a list of items. Parameters without a field here are ignored."""

    q = forms.CharField(
        label=gettext_lazy("Key, title or text"),
        required=False,
        max_length=200,
        help_text=gettext_lazy("Searches keys, titles and the texts of the material, not what people wrote."),
        widget=forms.TextInput(attrs={"type": "search", "aria-describedby": "filter-q-help"}),
    )
    state = forms.ChoiceField(label=gettext_lazy("State"), required=False, choices=ALL + Item.State.choices)
    group = forms.CharField(label=gettext_lazy("Group"), required=False, max_length=120)
    language = forms.CharField(label=gettext_lazy("Language"), required=False, max_length=12)
    assigned = MemberFilterField(label=gettext_lazy("Reserved for"))
    held = MemberFilterField(label=gettext_lazy("Assignee"), words=[("overdue", gettext_lazy("expired"))])
    by = MemberFilterField(label=gettext_lazy("Submitted by"))
    batch = forms.IntegerField(label=gettext_lazy("Import"), required=False, validators=LARGE)
    purpose = forms.ChoiceField(label=gettext_lazy("Purpose"), required=False, choices=ALL + Item.Purpose.choices)
    priority = forms.IntegerField(label=gettext_lazy("Priority"), required=False, validators=SMALL)
    drop_reason = forms.ChoiceField(label=gettext_lazy("Drop reason"), required=False, choices=[*ALL, *DROP_REASONS])
    comments = forms.ChoiceField(
        label=gettext_lazy("Comments"),
        required=False,
        choices=[*ALL, ("open", gettext_lazy("with unresolved comments"))],
    )
    returned = MemberFilterField(label=gettext_lazy("Returned to"))
    reviewed = MemberFilterField(label=gettext_lazy("Reviewed work by"))
    skipped = forms.ChoiceField(
        label=gettext_lazy("Skip reason"),
        required=False,
        choices=[*ALL, ("any", gettext_lazy("any reason")), *SKIP_REASONS],
    )
    drafts = forms.ChoiceField(
        label=gettext_lazy("Drafts"),
        required=False,
        choices=[*ALL, ("left", gettext_lazy("abandoned"))],
    )
    minutes = forms.ChoiceField(
        label=gettext_lazy("Working time"),
        required=False,
        choices=[*ALL, ("counted", gettext_lazy("recorded")), ("none", gettext_lazy("none recorded"))],
    )
    run = forms.IntegerField(
        label=gettext_lazy("Suggestion from run"),
        required=False,
        validators=LARGE,
        widget=forms.NumberInput(attrs={"min": "1"}),
    )
    event = forms.ChoiceField(label=gettext_lazy("Event"), required=False, choices=[*ALL, *EVENTS])
    since = forms.DateField(
        label=gettext_lazy("from"), required=False, validators=DAYS, widget=forms.DateInput(attrs={"type": "date"})
    )
    until = forms.DateField(
        label=gettext_lazy("to"), required=False, validators=DAYS, widget=forms.DateInput(attrs={"type": "date"})
    )

    metadata = forms.ChoiceField(label=gettext_lazy("Metadata"), required=False)
    value = forms.CharField(label=gettext_lazy("Value of the metadata"), required=False, max_length=200)

    MAIN = ("q", "state", "group", "language", "assigned", "held")

    def __init__(self, data: QueryDict, *, project: Project, members: list[Member], leads: bool) -> None:
        super().__init__(data, auto_id="filter-%s")
        self._offer_metadata(metadata_names(project) if leads and project.kind.defined else [])
        self._offer_groups(project)
        for field in self.fields.values():
            if isinstance(field, MemberFilterField):
                field.offer(project, members)
        batches = list(project.batches.exclude(format=FILES).values_list("pk", "file_name")[:200])
        self.fields["batch"].widget = forms.Select(choices=[*ALL, *batches])
        for field in self.fields.values():
            look = "select" if isinstance(field.widget, forms.Select) else "textbox textbox--line"
            field.widget.attrs["class"] = look

    def _offer_metadata(self, names: list[str]) -> None:
        """Nobody but leads learns of metadata, not even by what a parameter does: for others there is no such field."""
        self.fields["metadata"].choices = [*ALL, *((name, name) for name in names)]  # type: ignore[attr-defined]
        if not names:
            del self.fields["metadata"], self.fields["value"]

    def _offer_groups(self, project: Project) -> None:
        offered = [(group, group) for group in distinct_values(project, "group", most=501) if group]
        self.fields["group"].widget = forms.Select(choices=[*ALL, *offered])

    def filters(self) -> ItemFilters:
        return ItemFilters(**self.cleaned_data)

    @property
    def address(self) -> str:
        """The active filters as a query string: the meaning of "all matching", kept when paging."""
        return urlencode([(name, self.data[name]) for name in self.fields if self.data.get(name)])

    @property
    def without_value(self) -> str:
        """The active filters as a query string, but the value of a metadata column."""
        return urlencode([(name, self.data[name]) for name in self.fields if self.data.get(name) and name != "value"])

    @property
    def chips(self) -> list[FilterChip]:
        """The active filters in words, each with the query string of the list without it."""
        active = [(name, self.data[name]) for name in self.fields if self.data.get(name)]
        return [
            FilterChip(
                str(self.fields[name].label),
                self._in_words(name, value),
                urlencode([pair for pair in active if pair[0] != name]),
            )
            for name, value in active
        ]

    def _in_words(self, name: str, value: str) -> str:
        field = self.fields[name]
        if isinstance(field, MemberFilterField):
            return field.in_words(value)
        choices = getattr(field.widget, "choices", ())
        return str({str(choice): label for choice, label in choices}.get(value, value))

    @property
    def main(self) -> list[Any]:
        return [self[name] for name in self.MAIN]

    @property
    def more(self) -> list[Any]:
        return [self[name] for name in self.fields if name not in self.MAIN]

    @property
    def more_in_use(self) -> int:
        return sum(bool(field.value()) for field in self.more)


VERBS = [
    ("assign", gettext_lazy("Assign to someone")),
    ("unassign", gettext_lazy("Unassign")),
    ("priority", gettext_lazy("Set priority")),
    ("requeue", gettext_lazy("Put back into the queue")),
    ("recheck", gettext_lazy("Send to review")),
    ("drop", gettext_lazy("Drop")),
    ("restore", gettext_lazy("Restore")),
    ("reopen", gettext_lazy("Reopen")),
]
FREQUENT = ("assign", "requeue", "recheck", "reopen", "drop")  # buttons of their own; the others are in a menu
NEEDS = {"assign": ("to", "most"), "priority": ("priority",), "drop": ("reason", "note")}
NEEDS |= {"requeue": ("note",), "restore": ("note",), "reopen": ("note",)}
TELLS = {
    "assign": gettext_lazy(
        "Reserves their open work for this person, ahead of everything else. Items this person skipped and "
        "reviews of their own work are left out."
    ),
    "unassign": gettext_lazy("Anyone can take them again."),
    "priority": gettext_lazy("Higher comes first; 0 is the default."),
    "requeue": gettext_lazy(
        "Taken back from their annotators or reviewers and put back into the queue. The latest text is kept."
    ),
    "drop": gettext_lazy("They leave the dataset. You can restore them; people working on one keep their draft."),
    "restore": gettext_lazy("Dropped items go back to work, from their last text."),
    "reopen": gettext_lazy("Accepted items go back to work, from the accepted text."),
    "recheck": gettext_lazy("Accepted texts get one more review, by someone who has not written on the item."),
}


class Selection:
    """The items that a lead has chosen: some by tick, or all that match the filters of the list."""

    def __init__(self, data: QueryDict, project: Project) -> None:
        self.project = project
        self.everything = data.get("scope") == "all"
        self.address = data.get("filter", "")[:4000]
        self.ids = sorted({int(pk) for pk in data.getlist("item") if pk.isdecimal() and len(pk) < 19})
        upto = data.get("upto", "")
        self.upto = int(upto) if upto.isdecimal() and len(upto) < 19 else None
        self.form = ItemFilterForm(QueryDict(self.address), project=project, members=[], leads=True)

    def is_valid(self) -> bool:
        """A filter that cannot be read must never mean "everything"."""
        return bool(not self.everything or self.form.is_valid())

    def items(self) -> QuerySet[Item]:
        if not self.everything:
            return Item.objects.filter(project=self.project, pk__in=self.ids)
        matching_items = matching(self.project, self.form.filters())
        return matching_items if self.upto is None else matching_items.filter(pk__lte=self.upto)

    def end_here(self) -> None:
        """Exclude items that are imported from now on."""
        self.upto = self.items().aggregate(last=Max("pk"))["last"] or 0


class BulkForm(forms.Form):
    """What to do: the verb, and its values."""

    verb = forms.ChoiceField(choices=VERBS, widget=forms.HiddenInput)
    to = forms.ModelChoiceField(Member.objects.none(), label=gettext_lazy("Person"), empty_label=None)
    most = forms.IntegerField(
        label=gettext_lazy("Limit"),
        required=False,
        min_value=1,
        max_value=10**9,
        help_text=gettext_lazy("Empty: all of them."),
    )
    priority = forms.IntegerField(label=gettext_lazy("Priority"), initial=0, validators=SMALL)
    reason = forms.ChoiceField(label=gettext_lazy("Reason"), choices=DROP_REASONS)
    note = forms.CharField(
        label=gettext_lazy("Note for the history"),
        required=False,
        max_length=500,
        widget=forms.Textarea(attrs={"rows": 2}),
    )

    def __init__(self, data: QueryDict | None, *, verb: str, project: Project) -> None:
        super().__init__(data, initial={"verb": verb})
        self.chosen = verb
        unneeded = {"to", "most", "priority", "reason", "note"} - set(NEEDS.get(verb, ()))
        for name in unneeded:
            del self.fields[name]
        if "to" in self.fields:
            workers = project.members.exclude(role=Member.Role.VIEWER).select_related("user")
            offer_members(self.fields["to"], workers, project, username="user__username")
            self.fields["to"].label_from_instance = _name_and_role  # type: ignore[attr-defined]

    def instruction(self, by: User) -> Instruction:
        values: dict[str, Any] = {name: value for name, value in self.cleaned_data.items() if name != "most"}
        return Instruction(by=by, **values)

    @property
    def tells(self) -> str:
        return str(TELLS[self.chosen])

    @property
    def title(self) -> str:
        return str(dict(VERBS)[self.chosen])


def _name_and_role(member: Member) -> str:
    return _("%(name)s (%(role)s)") % {"name": member.user, "role": member.get_role_display()}


class SoFarForm(forms.Form):
    """The progress of a long bulk step: the last item seen, and the counts so far."""

    after = forms.IntegerField(required=False, validators=LARGE)
    done = forms.IntegerField(required=False, validators=LARGE)

    def __init__(self, data: QueryDict) -> None:
        super().__init__(data)
        for why in RefusalReason.values:
            self.fields[f"left_{why}"] = forms.IntegerField(required=False, validators=LARGE)

    def read(self) -> tuple[int, int, Counter[str]]:
        """after, done, left out by reason; values that cannot be read count as nothing."""
        self.full_clean()
        cleaned_data = self.cleaned_data
        exclusions = Counter({why: cleaned_data.get(f"left_{why}") or 0 for why in RefusalReason.values})
        return cleaned_data.get("after") or 0, cleaned_data.get("done") or 0, +exclusions
