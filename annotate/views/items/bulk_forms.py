from collections import Counter
from typing import Any

from django import forms
from django.db.models import Max, QuerySet
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.models import DROP_REASONS, Item, Member, Project, User
from annotate.services.items.bulk import Instruction
from annotate.services.items.lists import matching
from annotate.services.leading import WhyNot
from annotate.views.items.filters import LARGE, SMALL, FilterForm

VERBS = [
    ("assign", gettext_lazy("Assign to a person")),
    ("unassign", gettext_lazy("Take the assignment back")),
    ("priority", gettext_lazy("Set the priority")),
    ("requeue", gettext_lazy("Put back into the queue")),
    ("drop", gettext_lazy("Drop")),
    ("restore", gettext_lazy("Restore")),
    ("reopen", gettext_lazy("Reopen")),
]
NEEDS = {"assign": ("to", "most"), "priority": ("priority",), "drop": ("reason", "note")}
NEEDS |= {"requeue": ("note",), "restore": ("note",), "reopen": ("note",)}
TELLS = {
    "assign": gettext_lazy(
        "Their open work is kept for this person, before everything else. What they skipped, and reviews of what they "
        "wrote themselves, are left out."
    ),
    "unassign": gettext_lazy("Anybody may take them again."),
    "priority": gettext_lazy("Higher is handed out earlier; 0 is usual."),
    "requeue": gettext_lazy("Taken from whoever holds or reviews them, and handed out anew from the last text."),
    "drop": gettext_lazy("They leave the dataset. They can be restored; whoever holds one keeps the draft."),
    "restore": gettext_lazy("Dropped items become work again, from their last text."),
    "reopen": gettext_lazy("Accepted items become work again, from the accepted text."),
}


class Selection:
    """Which items a lead has chosen: some by tick, or everything that matches the filters of the list."""

    def __init__(self, data: QueryDict, project: Project) -> None:
        self.project = project
        self.everything = data.get("scope") == "all"
        self.address = data.get("filter", "")[:4000]
        self.ids = sorted({int(pk) for pk in data.getlist("item") if pk.isdecimal() and len(pk) < 19})
        upto = data.get("upto", "")
        self.upto = int(upto) if upto.isdecimal() and len(upto) < 19 else None
        self.form = FilterForm(QueryDict(self.address), project=project, members=[])

    def is_valid(self) -> bool:
        """A filter that cannot be read must never mean "everything"."""
        return bool(not self.everything or self.form.is_valid())

    def items(self) -> QuerySet[Item]:
        if not self.everything:
            return Item.objects.filter(project=self.project, pk__in=self.ids)
        matching_items = matching(self.project, self.form.filters())
        return matching_items if self.upto is None else matching_items.filter(pk__lte=self.upto)

    def end_here(self) -> None:
        """Items that are imported from now on are not meant."""
        self.upto = self.items().aggregate(last=Max("pk"))["last"] or 0


class BulkForm(forms.Form):
    """What is to be done: the verb, and what this verb needs to know."""

    verb = forms.ChoiceField(choices=VERBS, widget=forms.HiddenInput)
    to = forms.ModelChoiceField(Member.objects.none(), label=gettext_lazy("Person"), empty_label=None)
    most = forms.IntegerField(
        label=gettext_lazy("At most"),
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
            self.fields["to"].queryset = workers  # type: ignore[attr-defined]
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
    """Where a long bulk step is: the last item seen, and what was counted before."""

    after = forms.IntegerField(required=False, validators=LARGE)
    done = forms.IntegerField(required=False, validators=LARGE)

    def __init__(self, data: QueryDict) -> None:
        super().__init__(data)
        for why in WhyNot.values:
            self.fields[f"left_{why}"] = forms.IntegerField(required=False, validators=LARGE)

    def read(self) -> tuple[int, int, Counter[str]]:
        """after, done, left out by reason; what cannot be read counts as nothing."""
        self.full_clean()
        cleaned_data = self.cleaned_data
        exclusions = Counter({why: cleaned_data.get(f"left_{why}") or 0 for why in WhyNot.values})
        return cleaned_data.get("after") or 0, cleaned_data.get("done") or 0, +exclusions
