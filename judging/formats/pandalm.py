"""The test set of PandaLM: pairs with three annotators each and two judges, who were asked in one order.

Source of the shape and of the counting: PandaLM (arXiv 2306.05087). Its published figures count unreadable replies of
GPT-3.5 as ties; here they are kept as unreadable, and the variant of the judge says how they count.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext_lazy

from annotate.formats.rows import ImportRow
from judging.formats.fields import (
    MOST_AUTHOR,
    MOST_GROUP,
    PLACES,
    VoteFormat,
    checked_name,
    label_of,
    name_of,
    number_of,
    optional_text,
    text_of,
    value_of,
)
from judging.formats.format import UNREADABLE_IS_A_TIE, AnswerSide, BadJudgementValue, FileVote, JudgeStatement, Voted
from lib.texts.stored_sentences import say as _

ANNOTATORS = ("annotator1", "annotator2", "annotator3")
GARBAGE = "garbage"
JUDGES = {
    "gpt-3.5": ("gpt35_result", "gpt35_reason"),
    "pandalm-7b": ("pandalm_result", "pandalm_reason"),
}
SAID: Mapping[Any, str | None] = {
    **PLACES,
    **{str(number): choice for number, choice in PLACES.items()},
    "Tie": "tie",
    GARBAGE: None,
}
NAMES = {"prompt": "instruction", "first": "response1", "second": "response2"}


class PandaLm(VoteFormat):
    slug = "pandalm"
    kinds = frozenset({"preference", "branching"})
    whole = True
    name = gettext_lazy("PandaLM: three annotators and two judges")

    def voted(self, row: ImportRow, options: Mapping[str, str]) -> Voted:
        value = row.value
        sides = [
            AnswerSide(author, _response(value, field))
            for author, field in zip(_authors(value), ("response1", "response2"), strict=True)
        ]
        judgements = list(_statements(value))
        return Voted(
            line=row.line,
            key=f"pandalm-{number_of(value, 'idx'):04}",
            facts={"prompt": _prompt(value), "first": sides[0].text, "second": sides[1].text},
            sides=sides,
            group=name_of(value, "motivation_app", MOST_GROUP),
            votes=list(_votes(value)),
            said=judgements,
            names=NAMES,
            warnings=[*_literals(value), *_unreadable(judgements)],
        )


def _prompt(value: Mapping[str, Any]) -> str:
    return "\n\n".join(filter(None, [text_of(value, "instruction"), text_of(value, "input")]))


def _authors(value: Mapping[str, Any]) -> list[str]:
    """Two names without an underscore, joined by one."""
    names = text_of(value, "cmp_key").split("_")
    if len(names) != 2 or names[0] == names[1]:
        raise BadJudgementValue("cmp_key", _("must name two models, joined by an underscore."))
    return [checked_name(name, "cmp_key", MOST_AUTHOR) for name in names]


def _response(value: Mapping[str, Any], field: str) -> str:
    """The answer's text. In the published file the answers True and False became truth values."""
    response = value_of(value, field)
    return str(response) if isinstance(response, bool) else text_of(value, field)


def _literals(value: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for field in ("response1", "response2"):
        if isinstance(value[field], bool):
            yield field, _("is a truth value, not text; it is kept as the word %(word)s.") % {"word": value[field]}


def _votes(value: Mapping[str, Any]) -> Iterator[FileVote]:
    for field in ANNOTATORS:
        choice = label_of(value, field, PLACES)
        yield FileVote(field, {"choice": choice, "reason": "", "recognised": False})


def _statements(value: Mapping[str, Any]) -> Iterator[JudgeStatement]:
    for judge, (result, reason) in JUDGES.items():
        choice = label_of(value, result, SAID)
        yield JudgeStatement(
            judge,
            "pairwise",
            path=result,
            choice=choice,
            variant=UNREADABLE_IS_A_TIE,
            reason=optional_text(value, reason),
            instead="" if choice else str(value[result]),
        )


def _unreadable(judgements: list[JudgeStatement]) -> Iterator[tuple[str, str]]:
    for judgement in judgements:
        if judgement.choice is None:
            message = _(
                "“%(instead)s” says nothing about the pair: kept as unreadable. It counts as a tie, as published."
            )
            yield judgement.path, message % {"instead": judgement.instead}


FORMAT = PandaLm()
