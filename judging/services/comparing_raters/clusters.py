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
    item_pks = set(items.values())
    names = [name for fields in NAMED.values() for name in fields]
    rows = Item.objects.filter(project=project).values_list("pk", *(f"facts__{name}" for name in names))
    facts = {pk: dict(zip(names, values, strict=True)) for pk, *values in rows if pk in item_pks}
    cluster_by_item, cluster_sort = {pk: f"{ITEM} {pk:012}" for pk in item_pks}, ITEM
    for sort, fields in NAMED.items():
        for field in fields:
            text_by_item = {
                pk: item_facts[field]
                for pk, item_facts in facts.items()
                if isinstance(item_facts[field], str) and item_facts[field]
            }
            if len(text_by_item) < len(item_pks):
                continue
            joined, name = _conversations(text_by_item) if sort == PROMPT else (text_by_item, sort)
            number = len(set(joined.values()))
            if FEWEST <= number < len(set(cluster_by_item.values())):
                cluster_by_item, cluster_sort = {pk: f"{name} {_digest(text)}" for pk, text in joined.items()}, name
    return {unit: cluster_by_item[item] for unit, item in items.items()}, cluster_sort


def _conversations(text_by_item: Mapping[int, str]) -> tuple[dict[int, str], str]:
    """A prompt that begins with another one and goes on after an empty line is a later turn of its conversation."""
    first_turns = _first_turns(set(text_by_item.values()))
    grown = any(first_turns[text] != text for text in text_by_item.values())
    return {pk: first_turns[text] for pk, text in text_by_item.items()}, CONVERSATION if grown else PROMPT


def _first_turns(texts: Iterable[str]) -> dict[str, str]:
    """A text follows the one that it begins with in the alphabet, without one between that does not."""
    first_by_text: dict[str, str] = {}
    first_turn = ""
    for text in sorted(texts):
        first_turn = first_turn if first_turn and text.startswith(f"{first_turn}\n\n") else text
        first_by_text[text] = first_turn
    return first_by_text


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:SHORT]
