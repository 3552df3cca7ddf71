"""What a value is for, told by the names that lead to it."""

import re

Path = tuple[object, ...]  # names of properties and places in lists, from the outside in

COMPARED = re.compile(r"winner|choice|better|prefer|verdict", re.IGNORECASE)
SCORE = re.compile(r"score|rating|grade|points|分", re.IGNORECASE)
WEIGHT = re.compile(r"weight|权重", re.IGNORECASE)
QUESTION = re.compile(r"question|criteri|check|item|问题", re.IGNORECASE)
ROLES = [
    (re.compile(r"question|checklist|criteri|check", re.IGNORECASE), "question"),
    (re.compile(r"feedback|comment|critique", re.IGNORECASE), "feedback"),
    (re.compile(r"reason|explan|rationale|why|analys|justif|evidence", re.IGNORECASE), "reason"),
    (re.compile(r"follow|second", re.IGNORECASE), "follow_up"),
    (re.compile(r"title|name|label|topic|key|task|type|tag|category|keyword", re.IGNORECASE), "label"),
]


def role_of(path: Path) -> str:
    """What a text is for, by the nearest name that says it."""
    names = [str(step) for step in reversed(path) if isinstance(step, str)]
    return next((role for name in names for pattern, role in ROLES if pattern.search(name)), "prose")


def is_named(path: Path, pattern: re.Pattern[str]) -> bool:
    return bool(path) and pattern.search(str(path[-1])) is not None
