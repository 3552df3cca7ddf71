"""From what a number is made of to the units that can be opened."""

from collections import defaultdict
from collections.abc import Sequence

from judging.services.comparing_raters.material import Material


def units_of(material: Material, names: Sequence[str]) -> list[str]:
    """Units by item. A name is a unit, or an answer, which stands for all of its questions and criteria.

    What nobody has rated by parts has no unit: an answer whose judging failed without a verdict.
    """
    parts: dict[str, list[str]] = defaultdict(list)
    for unit in material.said:
        if unit.startswith("answer/"):
            parts["/".join(unit.split("/")[:2])].append(unit)
    units = [unit for name in dict.fromkeys(names) for unit in ([name] if name in material.said else parts[name])]
    return sorted(units, key=lambda unit: (material.item(unit), unit))
