"""Which fields and groups guidelines of a project can be about, and how people call the fields."""

from collections.abc import Mapping, Sequence

from annotate.kinds.values import BadShape, Field
from annotate.models import Item, Project


def field_labels(project: Project) -> dict[str, str]:
    """name -> label of the draft's fields; a field that the first item lacks is called by its name. One query."""
    sample = Item.objects.filter(project=project).order_by("pk").values_list("facts", flat=True).first()
    labels = {name: name for name in project.kind.draft.model_fields}
    try:
        return labels | labels_of(project.kind.fields(project.kind.read_facts(sample))) if sample else labels
    except BadShape:
        return labels


def labels_of(fields: Sequence[Field]) -> dict[str, str]:
    return {field.name: str(field.label) for field in fields}


def called(names: Sequence[str], labels: Mapping[str, str]) -> list[str]:
    return [labels.get(name, name) for name in names]


def groups(project: Project) -> list[str]:
    """Those of the kind's options and those that items have, in their order. One query."""
    used = Item.objects.filter(project=project).exclude(group="").order_by("group").values_list("group", flat=True)
    return list(dict.fromkeys([*project.kind.groups(project.kind_options), *used.distinct()[:2000]]))
