"""Work that another app adds while people work, such as the next pairs of a study. annotate knows none of them."""

from collections.abc import Callable
from dataclasses import dataclass

from annotate.models import Project


@dataclass(frozen=True)
class Source:
    """waits: whether more could be added to a project now; add: adds it, False where there was nothing to add or
    somebody else just did; is_spent: whether all work that was planned there is done, whatever else could be asked."""

    name: str
    waits: Callable[[Project], bool]
    add: Callable[[Project], bool]
    is_spent: Callable[[Project], bool]


_sources: dict[str, Source] = {}


def register(source: Source) -> None:
    _sources[source.name] = source


def waits(project: Project) -> bool:
    return project.kind.opinions and any(source.waits(project) for source in _sources.values())


def add(project: Project) -> bool:
    return project.kind.opinions and any(source.add(project) for source in _sources.values())


def is_spent(project: Project) -> bool:
    return project.kind.opinions and any(source.is_spent(project) for source in _sources.values())
