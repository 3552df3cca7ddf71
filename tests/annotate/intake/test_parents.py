from pathlib import Path

import pytest

from annotate.models import Item, Project
from tests.support.canals import published
from tests.support.files import imported, write_rows
from tests.support.people import make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def prompts(tmp_path: Path) -> Project:
    project = make_project(kind_slug="prompt")
    rows = [{"key": f"factual-{number}", "prompt": f"Question {number}?"} for number in (1, 2)]
    imported(project, write_rows(tmp_path / "prompts.jsonl", rows))
    return project


def parents(project: Project, folder: Path, *rows: object) -> dict[str, str | None]:
    assert imported(project, write_rows(folder / "tuples.jsonl", rows), "--format", "fbi")["kept"] == len(rows)
    return dict(Item.objects.filter(project=project).values_list("facts__cdx", "parent__key"))


def test_perturbations_are_children_of_their_prompts(prompts: Project, tmp_path: Path) -> None:
    project = make_project(kind_slug="perturbation", source=prompts)
    rows = [published(1), published(1, category="entity-errors"), published(2), published(3)]
    assert parents(project, tmp_path, *rows) == {
        "factual-1_number-errors": "factual-1",
        "factual-1_entity-errors": "factual-1",
        "factual-2_number-errors": "factual-2",
        "factual-3_number-errors": None,  # its prompt is not there
    }
    assert Item.objects.get(key="factual-1").children.count() == 2


def test_only_the_projects_source_is_asked(prompts: Project, tmp_path: Path) -> None:
    alone = make_project(kind_slug="perturbation")
    assert parents(alone, tmp_path, published(1)) == {"factual-1_number-errors": None}
