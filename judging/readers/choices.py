"""Verdicts on two answers as judges write them: A, B, both good, both bad; several verdicts count as none."""

import re
import unicodedata
from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, create_model, model_validator

CHOICE_WORDS = ("A", "B", "both good", "both bad")
VERDICTS = ("verdict", "choice", "winner", "decision", "结论", "判断", "选择", "结果")
EXPLANATIONS = ("explanation", "reason", "rationale", "analysis", "解释", "理由", "说明", "分析")
AROUND = " \t\r\n.。,，!！;；:：\"'“”‘’`*()（）[]【】{}<>"
_LETTER = re.compile(
    r"(?:the\s+)?(?:answer|response|assistant|回答|答案|回应)?\s*([ab])"
    r"(?:\s*(?:(?:is|was)\s+(?:clearly\s+|much\s+|slightly\s+)?(?:the\s+)?better(?:\s+(?:one|answer|response))?"
    r"|wins|更好|较好|胜出))?"
)
_THE_TWO = r"(?:both|both are|both answers are|the two are)[\s_-]*(?:equally )?"
_BOTH = {
    "both_good": re.compile(_THE_TWO + r"good|(?:两者|两个|二者)?(?:都|均)(?:很)?好"),
    "both_bad": re.compile(_THE_TWO + r"bad|(?:两者|两个|二者)?(?:都|均)(?:很)?(?:不好|差)"),
}
_NAMED = re.compile(
    r"(?:\b(?:verdict|choice|winner|decision)|结论|判断|选择)[\s\"'*_`]*(?::|=|\bis\b|是|为)\s*([^\n,;，；。.}]{1,60})"
)


def choice_in(value: Any) -> str | None:
    """first, second, both_good or both_bad, as the judge saw the answers; None if it says none or several."""
    if not isinstance(value, str):
        return None
    text = " ".join(_plain(value).strip(AROUND).split())
    for choice, pattern in _BOTH.items():
        if pattern.fullmatch(text):
            return choice
    match = _LETTER.fullmatch(text)
    return {"a": "first", "b": "second"}[match[1]] if match else None


def choice_in_text(text: str) -> str | None:
    """The only verdict in a text, next to a word such as `verdict` or alone."""
    if (alone := choice_in(text)) is not None:
        return alone
    choices = {choice_in(match[1]) for match in _NAMED.finditer(_plain(text))}
    return choices.pop() if len(choices) == 1 else None


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


class _ChoiceReply(BaseModel):
    """Names of the fields as judges write them become ours."""

    model_config = ConfigDict(json_schema_extra={"additionalProperties": False})

    @model_validator(mode="before")
    @classmethod
    def _named(cls, reply: Any) -> Any:
        if not isinstance(reply, Mapping):
            return reply
        plain = {_plain(name).strip(): value for name, value in reply.items()}
        why = next((plain[name] for name in EXPLANATIONS if isinstance(plain.get(name), str)), "")
        verdict = next((plain[name] for name in VERDICTS if name in plain), None)
        return {"explanation": why, "verdict": verdict}


def _choice(value: Any) -> str:
    choice = choice_in(value)
    if choice is None:
        raise ValueError(f"no verdict; it is one of {', '.join(CHOICE_WORDS)}")
    return choice


@cache
def choice_shape(*, explained: bool) -> type[BaseModel]:
    """The shape of a reply; the explanation is asked for first where the strategy has one."""
    fields: dict[str, Any] = {"explanation": (str, Field())} if explained else {}
    verdict_schema = WithJsonSchema({"type": "string", "enum": list(CHOICE_WORDS)})
    fields["verdict"] = (Annotated[str, BeforeValidator(_choice), verdict_schema], Field())
    return create_model("Chosen", __base__=_ChoiceReply, **fields)
