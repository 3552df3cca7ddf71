"""Scales of scores, and scores as judges write them: ten is never read as one, and a template is not a score."""

import math
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Protocol

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, create_model, model_validator

NAMES = ("score", "rating", "grade", "mark", "overall score", "final score", "评分", "分数", "得分", "打分")
EXPLANATIONS = ("explanation", "feedback", "reason", "rationale", "解释", "理由", "说明", "评语")
_NUMBER = r"(?P<score>\d++(?:\.\d++)?)"
_OF = r"\s*(?:/|out\s+of|of)\s*(?P<top>\d++)"
# Nothing after it may change the number: 1-10, 1 to 10, 1e9, 1,000, 80 %.
_END = r"(?!\s*(?:[-–—~～至到%^]|to\b|or\b|and\b|[,.]\d)|[A-Za-z_\d])"
WHOLE = re.compile(rf"{_NUMBER}(?:{_OF})?\s*(?:分|points?)?")
# A range in brackets may come between the word and its number: Score (1-10): 8.
NAMED = re.compile(
    r"(?:\b(?:score|rating|grade|mark)|评分|分数|得分|打分)"
    r"(?:\s*\([^()\n]{1,20}\))?[\s\"'*_`\[(]*(?::|=|\bis\b|\bof\b|是|为)[\s\"'*_`\[(]*"
    rf"{_NUMBER}(?:{_OF}(?![.\d])|{_END})",
    re.IGNORECASE,
)
SCALED = re.compile(r"\bscale=(\d{1,2}-\d{1,2})(?!\S)")
ROUNDING = 1e-9
AROUND = " \t\r\n.。,，!！;；:：\"'“”‘’`*_()（）[]【】"


class HasScale(Protocol):
    """A judge, of the database or of a file."""

    scale_low: int | None
    scale_top: int | None


@dataclass(frozen=True)
class Scale:
    """Whole numbers from low to top; a score such as 7.5 is accepted as it is."""

    low: int
    top: int

    def __str__(self) -> str:
        return f"{self.low}-{self.top}"

    @classmethod
    def named(cls, name: str) -> "Scale":
        """The scale of a name such as `1-10`."""
        low, top = map(int, name.split("-"))
        return cls(low, top)

    @classmethod
    def in_variant(cls, variant: str) -> "Scale | None":
        """The scale in the variant of a judge, such as `scale=1-5`; None if it names none."""
        match = SCALED.search(variant)
        return cls.named(match[1]) if match else None

    @classmethod
    def of(cls, judge: HasScale) -> "Scale | None":
        """The scale of a judge's scores; None if its strategy names none."""
        return None if judge.scale_low is None or judge.scale_top is None else cls(judge.scale_low, judge.scale_top)

    @property
    def width(self) -> int:
        return self.top - self.low

    def holds(self, score: float) -> bool:
        """Whether a score is finite and lies on the scale; a sum may miss an end by a rounding error."""
        return math.isfinite(score) and self.low - ROUNDING <= score <= self.top + ROUNDING

    def read(self, value: Any) -> float | None:
        """A score from JSON: a number, or a text that is only a number. None for anything else."""
        if isinstance(value, bool):
            return None
        if isinstance(value, int | float):
            return float(value) if math.isfinite(value) and self.low <= value <= self.top else None
        match = WHOLE.fullmatch(_plain(value).strip(AROUND)) if isinstance(value, str) else None
        return self._of(match) if match else None

    def read_text(self, text: str) -> float | None:
        """The only score in a text, next to a word such as `score` or alone. None if there are none or two."""
        if (alone := self.read(text)) is not None:
            return alone
        scores = {self._of(match) for match in NAMED.finditer(_plain(text))}
        return scores.pop() if len(scores) == 1 else None

    def _of(self, match: re.Match[str]) -> float | None:
        """The number; None outside the scale, and if the judge used another scale."""
        if match["top"] is not None and (len(match["top"]) > 6 or int(match["top"]) != self.top):
            return None
        return self.read(float(match["score"])) if len(match["score"]) <= 12 else None


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text)


def share_of(score: float | None, scale: Scale | None) -> float | None:
    """A score as 0..1 on its scale; unchanged without one."""
    return score if score is None or scale is None else (score - scale.low) / scale.width


class _ScaleReply(BaseModel):
    """Names of the fields as judges write them become ours."""

    model_config = ConfigDict(json_schema_extra={"additionalProperties": False})

    @model_validator(mode="before")
    @classmethod
    def _named(cls, reply: Any) -> Any:
        if not isinstance(reply, Mapping):
            return reply
        plain = {_plain(name).strip().casefold().replace("_", " "): value for name, value in reply.items()}
        fields = {name: _first(plain, among) for name, among in (("score", NAMES), ("explanation", EXPLANATIONS))}
        return {name: value for name, value in fields.items() if value is not None} | {
            "explanation": fields["explanation"] if isinstance(fields["explanation"], str) else ""
        }


def _first(fields: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((fields[name] for name in names if name in fields), None)


@cache
def score_shape(name: str, *, explained: bool) -> type[BaseModel]:
    """The shape of a reply on this scale; the explanation is asked for first where the strategy has one."""
    scale = Scale.named(name)

    def score(value: Any) -> float:
        number = scale.read(value)
        if number is None:
            raise ValueError(f"no score from {scale.low} to {scale.top}")
        return number

    score_schema = WithJsonSchema({"type": "integer", "minimum": scale.low, "maximum": scale.top})
    fields: dict[str, Any] = {"explanation": (str, Field())} if explained else {}
    fields["score"] = (Annotated[float, BeforeValidator(score), score_schema], Field())
    return create_model("Scored", __base__=_ScaleReply, **fields)
