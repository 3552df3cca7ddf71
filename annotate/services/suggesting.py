"""A person's draft beside what models suggested: what it began with, what there is to pick, what is newer.

The suggestion of a draft is fixed when it is opened. Candidates are picked and newer values taken over as edits, by the
person alone; nothing here changes a text unasked.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotate.kinds.base import Kind
from annotate.models import Annotation


@dataclass(frozen=True)
class Edited:
    """A draft after one of the buttons; picked: the number of the candidate in it, None where that did not change."""

    draft: dict[str, Any]
    decided: list[str]
    picked: int | None = None


def suggested_draft(annotation: Annotation) -> dict[str, Any]:
    """What the model wrote of this draft: the suggestion with the picked candidate in it; {} without a suggestion.

    What it left empty is nobody's, and so are fields for which there are candidates as long as none is picked.
    """
    return {name: value for name, value in _whole(annotation).items() if value not in (None, "", [])}


def _whole(annotation: Annotation) -> dict[str, Any]:
    suggestion = annotation.suggestion
    if suggestion is None:
        return {}
    return {**suggestion.draft, **(candidate(suggestion, annotation.picked) or {})}


def is_unchanged(annotation: Annotation, draft: Mapping[str, Any]) -> bool:
    """The draft is what the model wrote; what a person only decides and no model writes does not count."""
    suggestion = annotation.suggestion
    if suggestion is None or (suggestion.candidates and annotation.picked is None):
        return False
    return all(draft.get(name) == value for name, value in _whole(annotation).items())


def candidate(suggestion: Annotation, number: int | None) -> dict[str, Any] | None:
    """The fields of a candidate by its number from 0; None where there is no such one."""
    if number is None or not 0 <= number < len(suggestion.candidates):
        return None
    return dict(suggestion.candidates[number]["draft"])


def pick(annotation: Annotation, draft: Mapping[str, Any], decided: Sequence[str], number: int) -> Edited:
    """The draft with that candidate's fields. A number that does not exist changes nothing."""
    candidate_draft = candidate(annotation.suggestion, number) if annotation.suggestion else None
    if candidate_draft is None:
        return Edited(dict(draft), list(decided))
    return Edited({**draft, **candidate_draft}, [name for name in decided if name not in candidate_draft], number)


# --- a newer suggestion ---------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Row:
    """One field, or one candidate, in which the newer suggestion says something else. take: what its button names."""

    label: str
    mine: str
    theirs: str
    take: str
    how: str = "text"


def newer_than(annotation: Annotation, newest: int | None) -> Annotation | None:
    """The suggestion made after the one that this draft began with. newest: the id of the item's last one."""
    if newest is None or newest <= (annotation.suggestion_id or 0):
        return None
    return Annotation.objects.select_related("run").filter(pk=newest).first()


def differing(
    kind: Kind, facts: Any, draft: Mapping[str, Any], newer: Annotation, *, shown: Annotation | None = None
) -> list[Row]:
    """Where taking over would change something: fields first, then candidates that are not in the draft already.

    shown: the suggestion on screen, whose candidates can be picked there.
    """
    open_fields = {name for stored_candidate in newer.candidates for name in stored_candidate["draft"]}
    rows = [
        Row(
            str(field.label),
            kind.shown(field.name, draft.get(field.name)),
            kind.shown(field.name, value),
            field.name,
            field.how,
        )
        for field in kind.fields(facts)
        if field.name not in open_fields
        and (value := newer.draft.get(field.name)) not in (None, "", [])
        and value != draft.get(field.name)
    ]
    for number, stored_candidate in enumerate(newer.candidates):
        if (shown is None or stored_candidate not in shown.candidates) and any(
            draft.get(name) != value for name, value in stored_candidate["draft"].items()
        ):
            rows.append(
                Row(
                    stored_candidate["label"],
                    "",
                    text_of(kind, facts, stored_candidate["draft"]),
                    f"candidate-{number}",
                    "candidate",
                )
            )
    return rows


def take(
    kind: Kind, facts: Any, newer: Annotation, draft: Mapping[str, Any], decided: Sequence[str], selection: str
) -> Edited:
    """The draft with the newer suggestion's value of one field, of `all` fields, or of one candidate: an edit."""
    rows = [row for row in differing(kind, facts, draft, newer) if row.how != "candidate"]
    word, _dash, number = selection.partition("-")
    if word == "candidate" and number.isdecimal() and len(number) < 6:
        values = candidate(newer, int(number)) or {}
    else:
        names = [row.take for row in rows if selection in ("all", row.take)]
        values = {name: newer.draft[name] for name in names}
    return Edited({**draft, **values}, [name for name in decided if name not in values])


def text_of(kind: Kind, facts: Any, fields: Mapping[str, Any]) -> str:
    """A candidate as one reads it: its texts, without the labels that stand above it."""
    texts = [field.name for field in kind.fields(facts) if field.how == "text" and field.name in fields]
    return "\n".join(kind.shown(name, fields[name]) for name in texts or fields)
