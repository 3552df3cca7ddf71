"""What a draft begins with, and what is read of the form."""

from typing import Any

from django.http import QueryDict

from annotate.kinds.use_case.shapes import UseCaseFacts

ANSWERS = {"yes": True, "no": False}


def started(facts: UseCaseFacts) -> dict[str, Any]:
    """The draft of a case about which nobody has said anything: what it came with, and no decision."""
    return {
        "keep": None,
        "drop_reason": "",
        "personal_data": None,
        "harmless": None,
        "first_question": facts.question,
        "intent": facts.user_intent or "",
        "reference": facts.reference_ans or "",
    }


def posted(data: QueryDict) -> dict[str, Any]:
    """Never raises; what was not answered is None."""
    decided = {name: ANSWERS.get(data.get(name, "")) for name in ("keep", "personal_data", "harmless")}
    texts = {name: _text(data.get(name, "")) for name in ("drop_reason", "first_question", "intent", "reference")}
    return {**decided, **texts}


def _text(posted_text: str) -> str:
    """Browsers send CRLF; what is compared with it says LF."""
    return posted_text.replace("\r\n", "\n")
