"""The state of each draft field in a form: the origin of its value, the suggestion, and the findings."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext as _

from annotate.kinds.contract import Kind
from annotate.kinds.shapes import Finding
from annotate.kinds.values import BadShape


class FieldHead(NamedTuple):
    """What the head of a field shows, and nothing as long as its text."""

    names: str
    label: str
    origin: str
    origin_label: str
    undecided: bool
    touched: bool
    decided: bool


@dataclass(frozen=True)
class FieldState:
    """One field of a draft with the model's suggestion for it.

    suggested is None where nothing was suggested; decided: a person has confirmed the suggested value.
    """

    name: str
    label: str | Promise
    how: str
    value: Any = None
    suggested: Any = None
    decided: bool = False
    problems: Sequence[Finding] = field(default_factory=list)

    @property
    def names(self) -> list[str]:
        """The draft's fields behind this one control."""
        return self.name.split(",")

    @property
    def is_suggested(self) -> bool:
        return self.suggested is not None

    @property
    def head(self) -> FieldHead:
        label = self.origin_label if self.origin else ""
        return FieldHead(self.name, str(self.label), self.origin, label, self.undecided, self.touched, self.decided)

    @property
    def taken_out(self) -> list[str]:
        """Suggested values of a list that are no longer chosen."""
        return [value for value in self.suggested or [] if value not in (self.value or [])]

    @property
    def touched(self) -> bool:
        """Something was suggested, and the value now differs from it."""
        return self.suggested is not None and self.value != self.suggested

    @property
    def undecided(self) -> bool:
        """The value is the model's, and nobody has confirmed it yet."""
        return self.suggested is not None and not self.touched and not self.decided

    @property
    def unanswered(self) -> bool:
        """A person still has to look at it: the field is empty or holds only what a model wrote."""
        no_spans = self.how == "spans" and self.value == []  # somebody has said that there is none
        return self.undecided or (self.value in (None, "", [], ["", ""]) and not no_spans)

    @property
    def origin(self) -> str:
        """machine or person; empty where nothing was suggested."""
        if self.suggested is None:
            return ""
        return "person" if self.touched else "machine"

    @property
    def origin_label(self) -> str:
        if self.touched:
            return _("Edited") if self.how in ("text", "checklist", "spans") else _("Changed")
        return _("Suggestion accepted") if self.decided else _("Suggested · not confirmed")


def states(
    kind: Kind,
    facts: Any,
    draft: Mapping[str, Any],
    *,
    suggested: Mapping[str, Any] | None = None,
    decided: Iterable[str] = (),
    findings: Iterable[Finding] = (),
) -> dict[str, FieldState]:
    """name -> state of every field of the form, in its order. findings: problems, shown next to their field."""
    decided, all_findings = set(decided), list(findings)
    return {
        field.name: FieldState(
            name=field.name,
            label=field.label,
            how=field.how,
            value=draft.get(field.name),
            suggested=(suggested or {}).get(field.name),
            decided=field.name in decided,
            problems=[finding for finding in all_findings if finding.field == field.name],
        )
        for field in kind.fields(facts)
    }


def together(first: FieldState, second: FieldState) -> FieldState:
    """Two fields that one control decides, as one state; its name is both names with a comma between."""
    suggested = None if first.suggested is None else [first.suggested, second.suggested or ""]
    return FieldState(
        name=f"{first.name},{second.name}",
        label=first.label,
        how=first.how,
        value=[first.value or "", second.value or ""],
        suggested=suggested,
        decided=first.decided and second.decided,
        problems=[*first.problems, *second.problems],
    )


def checks(kind: Kind, facts: Any, draft: Mapping[str, Any], options: Any) -> tuple[list[Finding], list[Finding]]:
    """(problems, doubts) of a draft that may be incomplete; one that has no readable shape has no doubts yet."""
    try:
        shaped = kind.read_draft(draft)
    except BadShape as bad:
        return bad.findings, []
    return kind.problems(facts, shaped, options), kind.doubts(facts, shaped, options)


def act(
    kind: Kind, facts: Any, draft: dict[str, Any], decided: list[str], *, action: str, suggested: Mapping[str, Any]
) -> tuple[dict[str, Any], list[str]]:
    """Draft and decided fields after one of the form's buttons: keep:names, reset:names, or one of the kind's own."""
    verb, _colon, rest = action.partition(":")
    field_names = {field.name for field in kind.fields(facts)}
    names = [name for name in rest.split(",") if name in field_names]
    if verb == "keep":
        return draft, [*decided, *(name for name in names if name not in decided)]
    if verb == "reset":
        back = {name: suggested[name] for name in names if name in suggested}
        other_values = {name: value for name, value in draft.items() if name in back or name not in names}
        return other_values | back, [name for name in decided if name not in names]
    return kind.edited(draft, action, facts), decided
