"""How much of a final text a model wrote."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import override

from annotate.kinds.base import Kind
from annotate.kinds.values import Field
from lib.texts.authorship import inked
from lib.texts.differences import difference


@override("en")  # the words of labels count, and a release is the same whatever language its lead reads
def model_share(
    kind: Kind, fields: Sequence[Field], suggested: Mapping[str, Any], final: Mapping[str, Any]
) -> float | None:
    """Share of the final draft's characters that stand in the suggestion too, blanks aside, 0..1 at three places.

    Fields count by their length as people see them; None where the final draft has no text at all.
    """
    shared_length = total = 0
    for field in fields:
        text = kind.shown(field.name, final.get(field.name))
        length = inked(text)
        total += length
        if final.get(field.name) == suggested.get(field.name):
            shared_length += length
        elif length:
            old = kind.shown(field.name, suggested.get(field.name))
            pieces = difference(old, text).pieces
            shared_length += sum(inked(piece.text) for piece in pieces if piece.op == "same")
    return round(shared_length / total, 3) if total else None
