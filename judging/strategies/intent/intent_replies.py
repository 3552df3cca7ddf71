"""Scores by several criteria and a final score, parsed from JSON or from words; and the shape of a reply. Pure.

The parser never guesses a number. Judges reply with odd quotes, full-width signs, decimals, names in brackets or the
names of a template (`维度一`, `Criterion 2`), before a dictionary or without one. Unknown names are left out.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, ConfigDict, WithJsonSchema, create_model, model_validator

from judging.readers.scales import EXPLANATIONS, Scale
from judging.strategies.intent.intent_criteria import IntentCriterion

TEN = Scale(1, 10)
FINAL = frozenset(
    [
        "final score",
        "final rating",
        "final",
        "score",
        "overall score",
        "overall rating",
        "overall",
        "composite score",
        "composite",
        "total score",
        "total",
        "comprehensive score",
        "综合得分",
        "综合评分",
        "综合分数",
        "综合",
        "最终得分",
        "最终评分",
        "最终分数",
        "总分",
        "总评分",
        "总体得分",
        "总体评分",
        "总得分",
        "得分",
        "评分",
        "分数",
        "打分",
    ]
)
PROSE = frozenset(
    ["score", "rating", "得分", "评分", "分数", "打分"]
)  # in running text these belong to the name before them
PLACES = {sign: index for signs in ("一二三四五六七八", "12345678") for index, sign in enumerate(signs)}
TEMPLATE = re.compile(
    r"(?:第)?(?:dimension|criterion|criteria|aspect|维度|标准|指标|方面)?\s*([一二三四五六七八1-8])(?:个|项|条)?"
    r"(?:维度|标准|指标|方面)?"
)
QUOTES = {ord(sign): '"' for sign in "'`´‘’‚‛“”„‟«»「」『』〝〞＂＇"}
LONGEST = 20_000
# A single number: not the 1 of 1-10, of 10 % or of 1e400; nor the 10 at the end of a range.
NUMBER = (
    r"(?P<score>\d{1,3}+(?:\.\d{1,6}+)?)(?:\s*/\s*(?P<top>\d++)|\s*分|\s*points?\b)?"
    r"(?!\s*(?:[-–—~～至到%^]|to\b|or\b|[,.]\d)|[A-Za-z_\d])"
)
NAME = r"(?P<name>[^\W\d_][^\n:={}\",;，；。.!?！？]{0,59}?|[^\W\d_]|第?[1-8]\w{0,6})"
PAIR = re.compile(rf"[\"*_]*{NAME}[\"*_\s]*(?::|=)[\"*_\s\[(]*{NUMBER}", re.IGNORECASE)
BRACED = re.compile(r"\{[^{}]*\}")
BRACKETS = re.compile(r"\(([^()]*)\)")


@dataclass(frozen=True)
class IntentCriterionScore:
    """One criterion with its score; None if none was found. joined: how the name was matched, as in OpinionPart."""

    axis: str
    score: float | None
    joined: str
    said: str = ""  # the name as the judge wrote it


@dataclass(frozen=True)
class IntentScores:
    """final: of the whole. given: of each criterion, in their order."""

    final: float
    given: tuple[IntentCriterionScore, ...]


def from_json(reply: Any, criteria: Sequence[IntentCriterion]) -> IntentScores | None:
    """Scores under `scores` or next to the final one. None if there is no final score from 1 to 10."""
    if not isinstance(reply, Mapping):
        return None
    rows = list(_rows(reply))
    finals = [value for name, value in rows if _is_final(name) and TEN.read(value) is not None]
    final = TEN.read(finals[0]) if finals else None
    if final is None or any(TEN.read(raw_final) != final for raw_final in finals):
        return None
    return IntentScores(final, _criterion_scores(rows, criteria))


def from_text(text: str, criteria: Sequence[IntentCriterion]) -> IntentScores | None:
    """The last dictionary with a final score, else the only final score named; criteria from there or the prose."""
    flat = _flat(text)
    for braces in reversed(BRACED.findall(flat)):
        rows = list(_pairs(braces))
        finals = {score for name, score in rows if _is_final(name)}
        if len(finals) == 1:
            return IntentScores(finals.pop(), _completed(rows, flat, criteria))
    final = _only_final(flat)
    return None if final is None else IntentScores(final, _completed([], flat, criteria))


def plain(name: str) -> str:
    """A name without signs and case, and without the blanks that judges put between its words."""
    normalized = unicodedata.normalize("NFKC", name).translate(QUOTES).casefold().replace("_", " ").replace("-", " ")
    return " ".join(re.sub(r"[\"*#:]+", " ", normalized).split()).strip(" .,、")


def _parts(name: str) -> list[str]:
    """The whole name, the part before its brackets, and the text in them."""
    words = plain(name)
    return [words, plain(BRACKETS.sub(" ", words)), *map(plain, BRACKETS.findall(words))]


def _is_final(name: str) -> bool:
    return not FINAL.isdisjoint(_parts(name))


def _rows(reply: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Names and values, including those of inner objects and of lists of named objects."""
    for name, value in reply.items():
        if isinstance(value, Mapping):
            inner = _score_of(value)
            yield from [(name, inner)] if inner is not None else _rows(value)
        elif isinstance(value, list):
            for entry in value:
                if isinstance(entry, Mapping):
                    yield from _listed(entry)
        else:
            yield name, value


def _score_of(value: Mapping[str, Any]) -> Any:
    """The score of `{"score": 8, "reason": …}`, which is about one criterion; None for a dictionary of several."""
    numbers = {plain(name): score for name, score in value.items() if TEN.read(score) is not None}
    return next(iter(numbers.values())) if len(numbers) == 1 and set(numbers) <= PROSE else None


def _listed(entry: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    called = next((entry[name] for name in ("criterion", "name", "dimension", "标准", "维度") if name in entry), None)
    score = _score_of({name: value for name, value in entry.items() if value is not called})
    if isinstance(called, str) and score is not None:
        yield called, score


def _flat(text: str) -> str:
    return unicodedata.normalize("NFKC", text[-LONGEST:]).translate(QUOTES)


def _pairs(text: str) -> Iterator[tuple[str, float]]:
    for match in PAIR.finditer(text):
        score = _score(match)
        if score is not None:
            yield match["name"], score


def _score(match: re.Match[str]) -> float | None:
    """The number; None outside the scale, and if the judge used another scale."""
    return None if match["top"] not in (None, "10") else TEN.read(float(match["score"]))


def _only_final(flat: str) -> float | None:
    """The only final score in a text, or the text itself if it is a number. None if there are none or several."""
    if (alone := TEN.read(flat)) is not None:
        return alone
    scores = {score for name, score in _pairs(flat) if _last_words(name) in FINAL - PROSE}
    if not scores:
        scores = {score for name, score in _pairs(flat) if _is_final(name)}
    return scores.pop() if len(scores) == 1 else None


def _last_words(name: str) -> str:
    """The end of a name: `I would say that the overall score` names the overall score."""
    words = plain(name)
    return next(
        (final_name for final_name in sorted(FINAL, key=len, reverse=True) if words.endswith(final_name)), words
    )


def _criterion_scores(
    rows: Sequence[tuple[str, Any]], criteria: Sequence[IntentCriterion]
) -> tuple[IntentCriterionScore, ...]:
    """Matched by name, then by the number in a template; a name with two different scores has no score."""
    scores_by_axis: dict[str, list[IntentCriterionScore]] = {}
    for name, value in rows:
        axis_match, score = _criterion(name, criteria), TEN.read(value)
        if axis_match and score is not None:
            axis, joined = axis_match
            scores_by_axis.setdefault(axis, []).append(IntentCriterionScore(axis, score, joined, name.strip()[:120]))
    return tuple(_criterion_score(criterion.axis, scores_by_axis.get(criterion.axis, [])) for criterion in criteria)


def _criterion_score(axis: str, candidates: Sequence[IntentCriterionScore]) -> IntentCriterionScore:
    best = [candidate for candidate in candidates if candidate.joined != "position"] or list(candidates)
    return best[0] if len({candidate.score for candidate in best}) == 1 else IntentCriterionScore(axis, None, "none")


def _criterion(name: str, criteria: Sequence[IntentCriterion]) -> tuple[str, str] | None:
    """(axis, exact | close | position) of a name; None if it is no criterion, or the final score."""
    for part in _parts(name):
        for criterion in criteria:
            if part in {plain(called) for called in criterion.names}:
                return criterion.axis, "exact" if part in {
                    plain(criterion.axis),
                    *map(plain, criterion.name.values()),
                } else "close"
    template_match = TEMPLATE.fullmatch(plain(name))
    index = PLACES[template_match[1]] if template_match else len(criteria)
    return (criteria[index].axis, "position") if index < len(criteria) else None


def _completed(
    rows: Sequence[tuple[str, float]], flat: str, criteria: Sequence[IntentCriterion]
) -> tuple[IntentCriterionScore, ...]:
    """Scores missing in the dictionary are searched in the prose, where each criterion has a part of its own."""
    scores = _criterion_scores(rows, criteria)
    if all(entry.score is not None for entry in scores):
        return scores
    prose = {entry.axis: entry for entry in _criterion_scores(list(_in_prose(flat, criteria)), criteria)}
    return tuple(entry if entry.score is not None else prose[entry.axis] for entry in scores)


def _in_prose(flat: str, criteria: Sequence[IntentCriterion]) -> Iterator[tuple[str, float]]:
    """Scores such as `Clarity: 8`, and the only score in a paragraph that begins with a criterion."""
    for line in BRACED.sub(" ", flat).splitlines():
        head, colon, rest = re.sub(r"^[\s\d.#*)、-]+", "", line).partition(":")
        if not colon or _criterion(head, criteria) is None:
            continue
        scores = {score for name, score in _pairs(rest) if _last_words(name) in PROSE}
        if (alone := TEN.read(rest)) is not None:
            scores = {alone}
        if len(scores) == 1:
            yield head, scores.pop()


# Shape of a reply: narrow as a schema, lenient in parsing.


SCORE = {"type": "integer", "minimum": 1, "maximum": 10}
NEEDS = ("needs", "needs_met", "需求")


class IntentReply(BaseModel):
    """score holds all that was read: the final score and those of the criteria."""

    model_config = ConfigDict(json_schema_extra={"additionalProperties": False}, arbitrary_types_allowed=True)
    criteria: ClassVar[tuple[IntentCriterion, ...]] = ()

    @model_validator(mode="before")
    @classmethod
    def _read(cls, reply: Any) -> dict[str, Any]:
        reading = from_json(reply, cls.criteria)
        if reading is None:
            raise ValueError("no final score from 1 to 10, or several")
        return {"explanation": _text(reply, EXPLANATIONS), "scores": {}, "needs": _text(reply, NEEDS), "score": reading}


@cache
def intent_reply_shape(criteria: tuple[IntentCriterion, ...]) -> type[IntentReply]:
    """The shape with a score for each of these criteria, in their order, before the final one."""
    axes = [criterion.axis for criterion in criteria]
    closed = {"type": "object", "additionalProperties": False, "required": axes}
    scores = WithJsonSchema(closed | {"properties": dict.fromkeys(axes, SCORE)})
    fields: dict[str, Any] = {
        "explanation": (str, ...),
        "scores": (Annotated[dict[str, int], scores], ...),
        "needs": (str, ...),
        "score": (Annotated[IntentScores, WithJsonSchema(dict(SCORE))], ...),
    }
    shape = create_model("ScoredByCriteria", __base__=IntentReply, **fields)
    shape.criteria = criteria
    return shape


def _text(reply: Any, names: Sequence[str]) -> str:
    return str(next((reply[name] for name in names if isinstance(reply.get(name), str)), ""))
