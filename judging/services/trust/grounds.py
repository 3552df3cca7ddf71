"""What the page of trust is made of, so that it can be counted from a project or from a release alike."""

from collections.abc import Sequence
from dataclasses import dataclass

from judging.models import Judge
from judging.services.comparing_raters.material import Material
from judging.services.trust.places import Seen
from judging.services.trust.rows import Row


@dataclass(frozen=True)
class Grounds:
    """scored: each answer's scores. family: of the judge. seen: pairs as the judge saw them, None of single answers.
    drawn: whether all of people's votes come of drawn studies."""

    given: Material
    judge: Judge
    scored: Sequence[Row]
    family: str
    seen: Seen | None
    drawn: bool
