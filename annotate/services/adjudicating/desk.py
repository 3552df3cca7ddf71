"""An adjudication as its page shows it: candidates side by side, field by field. Nothing here writes."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from annotate.kinds.values import Field
from annotate.models import Comment, Member, Slot
from annotate.services.adjudicating.table import Candidate, Group, Table, label_of, same_in, table_of
from annotate.services.comparing import Compared, Version, changed_fields, compare
from annotate.services.reviewing.desk import ReviewDesk, text_in

AGREED, DISPUTED, ADOPTED, OVERRULED = "agreed", "disputed", "adopted", "overruled"


@dataclass(frozen=True)
class Card:
    """One value of a choice with all who wrote it. no: of the first of them, by which it is adopted.

    compared: its fields, one after the other.
    """

    no: int
    labels: Sequence[str]
    compared: Sequence[Compared]
    chosen: bool


@dataclass(frozen=True)
class Choice:
    """One field, or several that one control of the form decides.

    state: agreed, disputed (nobody has decided), adopted, overruled (the text is nobody's candidate).
    own: what stands in the adjudicator's text, beside the first card where it is another.
    """

    fields: Group
    state: str
    cards: Sequence[Card]
    own: Sequence[Compared]
    threads: Sequence[Comment]

    @property
    def name(self) -> str:
        return self.fields[0].name

    @property
    def label(self) -> str:
        return label_of(self.fields)

    @property
    def folded(self) -> bool:
        return self.state == AGREED


@dataclass
class AdjudicationDesk(ReviewDesk):
    """What people disagree about, in the hands of somebody who had no part in it. `annotation`: their own text."""

    table: Table = field(kw_only=True)

    @property
    def adjudicates(self) -> bool:
        return True

    @property
    def candidates(self) -> Sequence[Candidate]:
        return self.table.candidates

    @property
    def undecided(self) -> list[list[Field]]:
        return self.table.undecided(self.annotation)

    @cached_property
    def overruled(self) -> list[list[Field]]:
        return [group for group in self.table.overruled(self.draft) if group not in self.undecided]

    @cached_property
    def choices(self) -> list[Choice]:
        return [self._choice(group) for group in self.table.groups]

    @property
    def open_choices(self) -> list[Choice]:
        return [choice for choice in self.choices if not choice.folded]

    @property
    def agreed(self) -> list[Choice]:
        return [choice for choice in self.choices if choice.folded]

    def _choice(self, group: Group) -> Choice:
        names = {field.name for field in group}
        pinned = [thread for thread in self.threads if thread.field in names]
        return Choice(group, self._state_of(group), self._cards(group), self._own(group), pinned)

    def _state_of(self, group: Group) -> str:
        if group in self.undecided:
            return DISPUTED
        if group in self.overruled:
            return OVERRULED
        return ADOPTED if group[0] in self.table.disputed else AGREED

    def _cards(self, fields: Group) -> list[Card]:
        """Equal values are one card."""
        groups: list[list[Candidate]] = []
        for candidate in self.candidates:
            same = next((group for group in groups if same_in(fields, group[0].draft, candidate.draft)), None)
            if same is None:
                groups.append([candidate])
            else:
                same.append(candidate)
        decided = all(field.name in self.annotation.decided for field in fields)
        return [
            Card(
                no=group[0].no,
                labels=[member.label for member in group],
                compared=compare(self.kind, fields, [Version(group[0].draft, group[0].label)]),
                chosen=decided and same_in(fields, group[0].draft, self.draft),
            )
            for group in groups
        ]

    def _own(self, group: Group) -> list[Compared]:
        first_candidate = self.candidates[0]
        own_version = Version(self.draft, str(self.annotation.by))
        return compare(self.kind, group, [Version(first_candidate.draft, first_candidate.label), own_version])

    def decided_after(self, draft: dict[str, Any]) -> list[str]:
        """The decided fields once this text is saved: what was written by hand is decided too."""
        changed = changed_fields(self.table.fields, self.draft, draft)
        touched = [group for group in self.table.groups if any(field.name in changed for field in group)]
        written = [field.name for group in touched for field in group]
        return [*self.annotation.decided, *(name for name in written if name not in self.annotation.decided)]

    def act(self, draft: dict[str, Any], decided: list[str], action: str) -> tuple[dict[str, Any], list[str]] | None:
        """Draft and decided fields after a candidate was adopted, or a choice taken back; None for other buttons.

        action: `take:all:2`, `take:feedback:2`, `reset:feedback`; what names no field or no candidate changes nothing.
        """
        verb, _colon, rest = action.partition(":")
        name, _colon, no = rest.partition(":")
        groups = [group for group in self.table.groups if name == "all" or any(field.name == name for field in group)]
        names = [field.name for group in groups for field in group]
        if verb == "reset":
            return self._put(draft, names, self.table.start()), [
                field_name for field_name in decided if field_name not in names
            ]
        if verb != "take":
            return None
        candidate = next((candidate for candidate in self.candidates if str(candidate.no) == no), None)
        if candidate is None:
            return draft, decided
        return self._put(draft, names, candidate.draft), [
            *decided,
            *(field_name for field_name in names if field_name not in decided),
        ]

    @staticmethod
    def _put(draft: dict[str, Any], names: Sequence[str], source: Any) -> dict[str, Any]:
        other_values = {name: value for name, value in draft.items() if name not in names}
        return other_values | {name: source[name] for name in names if name in source}


def adjudication_desk(member: Member, slot_id: int) -> AdjudicationDesk | None:
    """The adjudication in that slot of the project; None if there is none."""
    slot_query = Slot.objects.filter(pk=slot_id, project_id=member.project_id, stage=Slot.Stage.ADJUDICATE)
    slot = slot_query.select_related("item", "holder", "about__author", "about__slot", "about__suggestion").first()
    if slot is None:
        return None
    slot.item.project = slot.project = member.project
    table = table_of(slot, slot.item)
    if not table.candidates:
        return None  # taken back in this moment
    about = slot.about or table.written[0]
    text = text_in(slot, member, start=table.start())
    return AdjudicationDesk(member=member, slot=slot, item=slot.item, annotation=text, about=about, table=table)
