"""How a step is put in training data: a system's message of its own, the material in blocks, the answer as JSON."""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from annotate.llm.asking import Message
from annotate.texts.fencing import fenced

PROMPTS = Path(__file__).with_name("prompts")
LANGUAGES = ("en", "zh")
NAMED = {
    "en": {"only": "The response:", "first": "Response A, the first:", "second": "Response B, the second:"},
    "zh": {"only": "回复：", "first": "回复 A（第一个）：", "second": "回复 B（第二个）："},
}


def chat(prompt: str, language: str, texts: Mapping[str, str], answer: Any) -> list[Message]:
    """Three turns. texts: slot -> text; `first` and `second` are responses, shown in the order in which they stand.

    answer: a text, or what becomes JSON. A language that no prompt is in is asked in English.
    """
    language = language if language in LANGUAGES else "en"
    system, wording = _wording(prompt, language)
    shown = [name for name in texts if name in NAMED["en"]]
    wording = wording.replace("{{ responses }}", _responses(shown, language))
    told = fenced(wording, texts, language=language)
    said = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False, allow_nan=False)
    return [
        {"role": "system", "content": f"{system}\n\n{told.rule}"},
        {"role": "user", "content": told.text},
        {"role": "assistant", "content": said},
    ]


@cache
def _wording(prompt: str, language: str) -> tuple[str, str]:
    """The system's message and the user's, with slots."""
    text = (PROMPTS / f"{prompt}.{language}.md").read_text("utf-8")
    system, _line, user = text.partition("\n---\n")
    return system.strip(), user.strip()


def _responses(shown: Sequence[str], language: str) -> str:
    return "\n\n".join(f"{NAMED[language][name]}\n\n{{{{ {name} }}}}" for name in shown)
