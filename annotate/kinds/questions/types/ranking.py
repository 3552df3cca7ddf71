"""Several columns in the order of their quality; each person sees them in an order that is dealt to them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

from django.http import QueryDict
from django.utils.translation import gettext_lazy
from pydantic import Field as Limits
from pydantic import model_validator

from annotate.kinds.questions.base import Facts, Question, distinct
from annotate.kinds.questions.controls import SettingControl
from annotate.kinds.questions.definition_texts import Column
from annotate.kinds.questions.types.rating import whole_number
from lib.stats.similarity import kendall_distance
from lib.texts.stored_sentences import say as _

MOST_RANKED = 9
IN_WORDS = {  # what a model is told
    "en": "a list with the rank of each of {columns}, in this order; 1 is best",
    "zh": "一个列表，依次给出 {columns} 的名次；1 表示最好",
}


class Ranking(Question):
    """Columns from the best to the worst. An answer lists the rank of each, in the order of `of`; 1 is best.

    Equal ranks are allowed if `ties` is true. While a person is at it, ranks that are not given yet are None.
    """

    type: Literal["ranking"]
    of: Annotated[list[Column], Limits(min_length=2, max_length=MOST_RANKED)]
    ties: bool = False

    how = "ranking"
    level = "ranking"
    brief = True
    controls = (
        SettingControl("of", "columns", gettext_lazy("Ranked columns"), gettext_lazy("Two to nine that are shown.")),
        SettingControl("ties", "switch", gettext_lazy("Equal ranks are allowed"), default=False),
    )

    @classmethod
    def starting(cls, columns: Sequence[str]) -> dict[str, Any]:
        return {"of": list(columns[-MOST_RANKED:])}

    @model_validator(mode="after")
    def _columns_differ(self) -> "Ranking":
        distinct(self.of)
        return self

    def columns(self) -> Sequence[str]:
        return self.of

    def dealt_columns(self) -> Sequence[str]:
        return self.of

    def empty(self, facts: Facts) -> Any:
        return []

    def read(self, data: QueryDict) -> Any:
        ranks = [whole_number(self.control.text(data, f"-{place}")) for place in range(1, len(self.of) + 1)]
        return ranks if any(rank is not None for rank in ranks) else []

    def shape_faults(self, answer: Any) -> Iterator[str]:
        ranks = answer or []
        whole = all(rank is None or (isinstance(rank, int) and not isinstance(rank, bool)) for rank in ranks)
        if not isinstance(answer, list | None) or not whole or len(ranks) not in (0, len(self.of)):
            yield _("must be a list with the rank of each of %(columns)s.") % {"columns": ", ".join(self.of)[:200]}

    def limits(self, answer: Any, facts: Facts) -> Iterator[str]:
        ranks = [rank for rank in answer if rank is not None]
        if len(ranks) < len(self.of):
            yield _("give every one a rank.")
        elif not all(1 <= rank <= len(self.of) for rank in ranks):
            yield _("ranks go from 1 to %(most)d.") % {"most": len(self.of)}
        elif not self.ties and len(set(ranks)) < len(ranks):
            yield _("two have the same rank; give each its own.")

    def shown(self, answer: Any) -> str:
        """The columns by their place in the definition, from the best; equal ranks joined by `=`."""
        return self.shown_compared(answer, "")

    def shown_compared(self, answer: Any, compared_as: str) -> str:
        names = {"image": _("Image %(n)d"), "file": _("File %(n)d"), "": _("Text %(n)d")}
        return _from_the_best(answer, names[compared_as])

    def exchanged(self, answer: Any, sources: Mapping[str, str]) -> Any:
        rank_by_column = {sources[column]: rank for column, rank in zip(self.of, answer, strict=True)}
        return [rank_by_column[column] for column in self.of]

    def measured(self, answer: Any) -> Any:
        return tuple(answer) if answer and None not in answer else None

    def similarity(self, left: Any, right: Any) -> float:
        """1 less Kendall's distance: the share of pairs that both put in the same order."""
        return 1 - kendall_distance(left, right)

    def form_context(self, facts: Facts) -> dict[str, Any]:
        return {"ranks": list(range(1, len(self.of) + 1))}

    def reply_schema(self) -> dict[str, Any]:
        rank = {"type": "integer", "minimum": 1, "maximum": len(self.of)}
        return {"type": "array", "items": rank, "minItems": len(self.of), "maxItems": len(self.of)}

    def in_words(self, language: str) -> str:
        words = IN_WORDS.get(language, IN_WORDS["en"])
        return words.format(columns=", ".join(self.of))


def _from_the_best(answer: Sequence[int | None] | None, name: str) -> str:
    by_rank: dict[int, list[str]] = {}
    for number, rank in enumerate(answer or (), start=1):
        if rank is not None:
            by_rank.setdefault(rank, []).append(name % {"n": number})
    return " > ".join(" = ".join(by_rank[rank]) for rank in sorted(by_rank))


TYPE = Ranking
