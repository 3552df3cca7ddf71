"""Intents of users as URS names them (arXiv 2404.13940), for the kinds whose items have one and for their means. Pure.

Objective intents have answers that are right or wrong; subjective ones do not.
"""

from collections.abc import Iterable, Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

# Spelled as in the published data, in the order of the paper.
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


def intent_name(intent: str) -> str:
    """The name in the reader's language; a project's own intent keeps its name."""
    return str(NAMES.get(intent, intent))


def side_of(intent: str) -> str:
    """objective, subjective, or "" for a project's own intent."""
    return "objective" if intent in OBJECTIVE else "subjective" if intent in SUBJECTIVE else ""


def in_order(intents: Iterable[str]) -> list[str]:
    """Intents in the order of the paper, each once; a project's own ones follow by name."""
    order = {intent: position for position, intent in enumerate(NAMES)}
    return sorted(set(intents), key=lambda intent: (order.get(intent, len(order)), intent))
