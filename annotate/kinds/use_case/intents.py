"""What people want from an assistant, as URS names it, and which of it has an answer that is right or wrong."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

# As the published data writes them, in the order of the paper.
NAMES: Mapping[str, Promise] = {
    "Factual_QA": gettext_lazy("Factual question"),
    "Solve_Professional_Problem": gettext_lazy("Professional problem"),
    "Text_Assistant": gettext_lazy("Help with a text"),
    "Ask_for_Advice": gettext_lazy("Advice"),
    "Seek_Creativity": gettext_lazy("Creative ideas"),
    "Leisure": gettext_lazy("Leisure"),
    "API": gettext_lazy("Use through an API"),
}
OBJECTIVE = frozenset({"Factual_QA", "Solve_Professional_Problem", "Text_Assistant", "API"})
SUBJECTIVE = frozenset(NAMES) - OBJECTIVE


def named(intent: str) -> str:
    """In the reader's language; an intent of a project's own keeps its word."""
    return str(NAMES.get(intent, intent))


def side_of(intent: str) -> str:
    """objective, subjective, or "" of an intent of a project's own."""
    return "objective" if intent in OBJECTIVE else "subjective" if intent in SUBJECTIVE else ""
