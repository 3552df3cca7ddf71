"""Guidelines as sections that name what they govern: checked when saved, sorted for an item, compared by version."""

from annotate.services.guidelines.checking import problems, write
from annotate.services.guidelines.reading import Part, Sorted, for_item, parts

__all__ = ["Part", "Sorted", "for_item", "parts", "problems", "write"]
