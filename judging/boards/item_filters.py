"""Filters that boards of models share: by language and group of the items, and by model.

Language and group change what is counted; models only what is shown, so that ranks stay those among all models.
"""

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

from django.http import QueryDict
from django.utils.translation import gettext as _
from pydantic import Field

from annotate.models import Project
from judging.boards.options import BoardOptions
from judging.ratings.selections import ItemSelection, SelectionChoices, selection_choices

FILTERS = ("language", "item_group", "models")


class ItemFilterOptions(BoardOptions):
    """language, item_group: of the items that count, "" for all; unknown ones are not taken. models: those shown, all
    without one."""

    choices: SelectionChoices = Field(default=SelectionChoices(), exclude=True)
    language: str = ""
    item_group: str = ""
    models: tuple[str, ...] = ()

    @classmethod
    def known(cls, query: QueryDict, project: Project) -> dict[str, Any]:
        choices = selection_choices(project)
        language, group = query.get("language", ""), query.get("item_group", "")
        values = {"choices": choices, "language": language if language in choices.languages else ""}
        return super().known(query, project) | values | {"item_group": group if group in choices.groups else ""}

    @property
    def selection(self) -> ItemSelection:
        return ItemSelection(self.language, self.item_group)

    @property
    def filter_address(self) -> str:
        """The filters alone."""
        return urlencode([pair for pair in self.parameters if pair[0] in FILTERS])

    @property
    def selection_address(self) -> str:
        """Which items count, for links to what is behind the numbers."""
        return urlencode([pair for pair in self.parameters if pair[0] in FILTERS[:2]])

    @property
    def chips(self) -> list[tuple[str, str, str]]:
        """(name, value, the address without it) of every filter in use."""
        return list(self._chips())

    def _chips(self) -> Iterator[tuple[str, str, str]]:
        for name, label in (("language", _("Language")), ("item_group", _("Group"))):
            if getattr(self, name):
                yield label, getattr(self, name), self.address_with(**{name: ""})
        for model in self.models:
            rest = tuple(other for other in self.models if other != model)
            yield _("Model"), model, self.address_with(models=rest)

    def shows(self, model: str) -> bool:
        return not self.models or model in self.models
