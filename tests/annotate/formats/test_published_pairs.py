"""The published pairs of Auto-J and PandaLM become branching items with the labels that people gave."""

import os
from collections import Counter
from pathlib import Path

import pytest

from annotate.intake.batches import import_files
from annotate.intake.row_reader import Settings
from tests.support.people import make_project

DATA = Path(__file__).resolve().parents[4] / "shared" / "data"
FILES = {
    # Auto-J: 0 is the first answer, 1 the second, 2 a tie. PandaLM: what most of three annotators say.
    "autoj": ("autoj_pairwise.jsonl.gz", {"first": 520, "second": 499, "tie": 373}),
    "pandalm": ("pandalm_testset.jsonl.gz", {"first": 422, "second": 472, "tie": 105}),
}

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(not DATA.exists() and not os.environ.get("CI"), reason=f"needs the published data in {DATA}"),
]


@pytest.mark.parametrize("name", FILES)
def test_every_published_pair_becomes_an_item_with_its_label(name: str) -> None:
    file, labels = FILES[name]
    project = make_project(kind_slug="branching")
    report = import_files(project=project, names=[str(DATA / file)], settings=Settings(format=name), strict=True)
    assert report.kept == sum(labels.values()) == {"autoj": 1392, "pandalm": 999}[name]
    facts = list(project.items.values_list("facts", flat=True))
    assert Counter(one["human_label"] for one in facts) == labels
    assert all(one["query"] and one["second"] is not None for one in facts)
