"""What is resampled whole: the largest cluster of units that there is.

Units of one item hang together, and so do items with one prompt, of one document or of one conversation: another study
would draw other prompts, not other answers to these.
"""

from collections.abc import Iterable, Mapping
from hashlib import sha256

from annotate.models import Item, Project

UNIT, ITEM, PROMPT, DOCUMENT, CONVERSATION = "unit", "item", "prompt", "document", "conversation"
NAMED = {CONVERSATION: ("conversation", "conversation_id"), DOCUMENT: ("document", "doc"), PROMPT: ("prompt",)}
FEWEST = 8  # clusters; with fewer there is no bootstrap over them, and one instruction for all items is no cluster
SHORT = 16


def clusters_of(project: Project, items: Mapping[str, int]) -> tuple[dict[str, str], str]:
    """items: unit -> its item. Returns unit -> cluster, and what the clusters are. One query."""
    wanted = set(items.values())
    names = [name for fields in NAMED.values() for name in fields]
    rows = Item.objects.filter(project=project).values_list("pk", *(f"facts__{name}" for name in names))
    facts = {pk: dict(zip(names, values, strict=True)) for pk, *values in rows if pk in wanted}
    chosen, what = {pk: f"{ITEM} {pk:012}" for pk in wanted}, ITEM
    for sort, fields in NAMED.items():
        for field in fields:
            said = {pk: given[field] for pk, given in facts.items() if isinstance(given[field], str) and given[field]}
            if len(said) < len(wanted):
                continue
            joined, name = _conversations(said) if sort == PROMPT else (said, sort)
            number = len(set(joined.values()))
            if FEWEST <= number < len(set(chosen.values())):
                chosen, what = {pk: f"{name} {_digest(text)}" for pk, text in joined.items()}, name
    return {unit: chosen[item] for unit, item in items.items()}, what


def _conversations(said: Mapping[int, str]) -> tuple[dict[int, str], str]:
    """A prompt that begins with another one and goes on after an empty line is a later turn of its conversation."""
    first = _first_turns(set(said.values()))
    grown = any(first[text] != text for text in said.values())
    return {pk: first[text] for pk, text in said.items()}, CONVERSATION if grown else PROMPT


def _first_turns(texts: Iterable[str]) -> dict[str, str]:
    """A text follows the one that it begins with in the alphabet, without one between that does not."""
    found: dict[str, str] = {}
    first = ""
    for text in sorted(texts):
        first = first if first and text.startswith(f"{first}\n\n") else text
        found[text] = first
    return found


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:SHORT]
