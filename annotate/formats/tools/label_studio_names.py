"""What a question is called in Label Studio: names of its tags, shared by configurations and results.

A question has a tag of its own name. What one tag cannot hold has further tags, called `<question>__<part>`: the
answers of a `pair` that are neither of the texts, the ranks of a `ranking`, the further columns, the attributes, the
note and the button "none" of `spans`.
"""

from collections.abc import Sequence

PART = "__"
OTHER, NONE, NOTE = "other", "none", "note"
NONE_WORDS = "None"  # on the button of a question that names no words
INDEX = "{{idx}}"  # stands for the number of an entry, from 0, inside a `Repeater`
SMALL = "6"  # size of a header that is a remark


def part_name(question: str, part: str, place: int = 0) -> str:
    """The tag of a part of a question. place: of the column that it is about, from 0; the first has no number."""
    return f"{question}{PART}{part}" + (f"{PART}{place + 1}" if place else "")


def column_name(question: str, place: int) -> str:
    """The tag of a question for the column at this place, from 0; the first has the question's name."""
    return f"{question}{PART}{place + 1}" if place else question


def rank_name(question: str, place: int) -> str:
    """The tag with the rank of the column at this place, from 0."""
    return f"{question}{PART}{place + 1}"


def turn_name(question: str, place: int | str) -> str:
    """The tag of a question about the turn at this place, from 0, or about each: INDEX."""
    return f"{question}{PART}turn_{place}"


def turn_text_name(question: str, place: int | str) -> str:
    """The tag that shows this turn."""
    return f"{question}{PART}text_{place}"


def repeated_name(name: str) -> tuple[str, int] | None:
    """(name of the question, place of the turn) of a tag whose name ends with a number, as in a `Repeater`."""
    head = name.rstrip("0123456789")
    number = name[len(head) :]
    if not head or not 0 < len(number) < 6:
        return None
    return without_index(head), int(number)


def without_index(head: str) -> str:
    """The name of a question from what stands before the number in the names of its tags."""
    return head.removesuffix(turn_name("", "")).rstrip("_-") or head


def without_number(name: str) -> str:
    """The name without the number of a column at its end."""
    head, dash, number = name.rpartition(PART)
    return head if dash and number.isdecimal() else name


def grouped_labels(labels: Sequence[str]) -> list[str] | dict[str, list[str]]:
    """`Category/Label` as categories with their labels, if their order survives it; else the labels as they are."""
    grouped: dict[str, list[str]] = {}
    for label in labels:
        category, slash, rest = label.partition("/")
        if not category.strip() or (slash and not rest.strip()):
            return list(labels)
        grouped.setdefault(category, []).extend([rest] if slash else [])
    written = [f"{category}/{label}" for category, inner in grouped.items() for label in inner or [""]]
    in_order = [label.removesuffix("/") for label in written] == list(labels)
    return grouped if in_order and any("/" in label for label in labels) else list(labels)


def object_name(column: str, place: int) -> str:
    """The name of the tag that shows a column; commas separate such names. place: of the column, from 0."""
    return column if "," not in column else f"column{place + 1}"
