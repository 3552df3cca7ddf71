"""Authors' means by intent against what people report of their satisfaction with assistants for the same intents."""

from collections.abc import Mapping, Sequence

from judging.services.intents.tables import Row, means
from lib.stats.figures import Figure
from lib.stats.intents import against_satisfaction


def satisfied(
    rows: Sequence[Row], intent_names: Sequence[str], satisfaction: Mapping[str, float]
) -> list[tuple[str, Figure]]:
    """(author, correlation of its intents' means with people's satisfaction); nothing where nobody has given any."""
    if not satisfaction:
        return []
    by_group = {intent: means(rows, intent) for intent in intent_names}
    authors = sorted({row.author for row in rows})
    return [(author, against_satisfaction(_of(author, by_group), satisfaction)) for author in authors]


def satisfied_all(rows: Sequence[Row], intent_names: Sequence[str], satisfaction: Mapping[str, float]) -> Figure | None:
    """The same of the plain mean over all authors by intent; None where nobody has given any satisfaction.

    One point an intent, n: intents. Source: URS (arXiv 2404.13940), figure 5.
    """
    return against_satisfaction(over_authors(rows, intent_names), satisfaction) if satisfaction else None


def over_authors(rows: Sequence[Row], intent_names: Sequence[str]) -> dict[str, float]:
    """intent -> plain mean of the means of the authors who have cases there; each author counts once."""
    by_group = {
        intent: [value for value in means(rows, intent).values() if value is not None] for intent in intent_names
    }
    return {intent: sum(values) / len(values) for intent, values in by_group.items() if values}


def _of(author: str, by_group: Mapping[str, Mapping[str, float | None]]) -> dict[str, float]:
    mean_by_intent = {intent: author_means.get(author) for intent, author_means in by_group.items()}
    return {intent: value for intent, value in mean_by_intent.items() if value is not None}
