"""What somebody decides about an item, with its words: frozen in their annotation, whatever comes of it."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from annotate.models import DROP_REASONS, Annotation
from annotate.services import queue
from annotate.services.errors import Refused
from annotate.services.submitting import freeze


@dataclass(frozen=True)
class Reason:
    """Why something comes back: pinned to a field, or to the whole item where `field` is empty."""

    field: str
    text: str


@dataclass(frozen=True)
class Decision:
    """draft: the decider's text. outcome: as in Annotation. said: what Annotation.said keeps of it."""

    draft: dict[str, Any]
    outcome: str
    authored: bool = False
    note: str = ""
    said: Mapping[str, Any] = field(default_factory=dict)


def given(reasons: Sequence[Reason]) -> list[Reason]:
    """The reasons that say something. Raises Refused where none does."""
    filled_reasons = [reason for reason in reasons if reason.text.strip()]
    if not filled_reasons:
        raise Refused(_("Say why it comes back: at least one reason."))
    return filled_reasons


def returning(draft: dict[str, Any], reasons: Sequence[Reason]) -> Decision:
    note = "\n".join(reason.text for reason in reasons)
    return Decision(draft, "returned", note=note, said={"reasons": [asdict(reason) for reason in reasons]})


def dropping(draft: dict[str, Any], reason: str, note: str) -> Decision:
    """Raises Refused without a known reason."""
    if reason not in dict(DROP_REASONS):
        raise Refused(_("Say why it leaves the dataset: choose a reason."))
    return Decision(draft, "dropped", note=note, said={"drop_reason": reason})


def finish(annotation: Annotation, token: uuid.UUID, decided: Decision) -> None:
    """First in the transaction of a decision. Raises LeaseLost."""
    assert annotation.slot is not None
    queue.finish(annotation.slot, token)
    freeze(annotation, decided.draft, outcome=decided.outcome, authored=decided.authored, note=decided.note)
    Annotation.objects.filter(pk=annotation.pk).update(said=decided.said)
    annotation.said = dict(decided.said)


def reasons_of(decided: Annotation) -> list[Reason]:
    """The reasons with which somebody sent it back; older ones are kept as comments only."""
    return [Reason(reason["field"], reason["text"]) for reason in decided.said.get("reasons", [])]
