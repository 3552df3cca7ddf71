"""Columns that a definition does not show are metadata: people who are no leads find no trace of them anywhere."""

from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from scipy.stats import chi2_contingency, chisquare

from annotate.items import comments, queue
from annotate.items.slots import dealt_to
from annotate.kinds.shapes import LenientOptions
from annotate.models import Item, Project, SearchText, Slot
from annotate.project.actions import create_project
from annotate.work import submit
from tests.security.crawl import body
from tests.security.test_blind_votes import Blind, same
from tests.support.files import command, imported, write_rows
from tests.support.numbering import begin_anew
from tests.support.people import make_member, written
from tests.support.running import run
from tests.support.scripted import shipped

pytestmark = pytest.mark.django_db

DEFINITION = """
show: [{field: prompt}, {field: text_1}, {field: text_2}]
questions:
  - {name: better, type: pair, of: [text_1, text_2]}
  - {name: order, type: ranking, of: [text_1, text_2]}
  - {name: why, type: text, required: false}
unit: batch_of
"""
ANSWERS = {"better": "first", "order": [1, 2], "why": "shorter"}
MODELS = ("Opal-9B", "Jasper-70B")
TELLING = (*MODELS, "4815162342", "quartz", "model_a", "model_b", "batch_of")
OTHERS = ("annotator", "reviewer", "viewer")
# What somebody tries who knows the names of the columns.
TRIED = (
    "items/?q=Opal-9B",
    "items/?sort=metadata:model_a",
    "items/?sort=-metadata:score",
    "items/?columns=metadata:model_a",
    "items/?metadata=Opal-9B",
    "items/?metadata__model_a=Opal-9B",
    "items/?model_a=Opal-9B",
)


def rows(count: int) -> list[dict[str, Any]]:
    return [
        {
            "key": f"k-{n}",
            "prompt": f"How many moons has planet {n}?",
            "text_1": f"It has {n}.",
            "text_2": f"It has {n + 1}.",
            "model_a": MODELS[n % 2],
            "model_b": MODELS[1 - n % 2],
            "score": int(f"4815162342{n:03}"),
            "batch_of": f"quartz-{n // 2}",
        }
        for n in range(count)
    ]


class BlindForm(Blind):
    """A form project with a submitted, a held, an open and a commented item, and people of every role."""

    def __init__(self, folder: Path) -> None:
        self.project: Project = create_project(slug="own", kind="form", definition=DEFINITION, reviews=1)
        assert imported(self.project, write_rows(folder / "rows.jsonl", rows(6)))["kept"] == 6
        self.members = {role: make_member(self.project, role) for role in (*OTHERS, "lead")}
        annotator = self.members["annotator"]
        for _number in range(2):
            slot = queue.claim_next(annotator, "annotate")
            assert slot is not None
            submit.submit(annotation=written(slot, annotator, ANSWERS), token=slot.token, by=annotator.user)
        slot = queue.claim_next(annotator, "annotate")
        assert slot is not None
        written(slot, annotator, ANSWERS)
        comments.start(item=slot.item, by=annotator.user, text="Hard to say.")
        Slot.objects.update(opens_at=timezone.now() - timedelta(seconds=1))  # reviews do not open between two looks
        command("index_items")

    @property
    def ids(self) -> list[int]:
        told = [Item.objects.filter(project=self.project), Slot.objects.filter(project=self.project)]
        return sorted({one.pk for rows in told for one in rows.order_by("pk")[:3]})

    def tried(self, role: str) -> dict[str, str]:
        """What the pages and addresses answer that the tests with every address are too slow for."""
        slot = Slot.objects.held().get()
        item = slot.item_id
        pages = [f"work/{slot.pk}/", "work/", "items/", f"items/{item}/", *TRIED]
        told = [
            f"items/{item}/",
            f"items/{item}/history/",
            f"items/{item}/comments/",
            *TRIED,
            "items/?ordering=metadata",
        ]
        paths = [*(f"/p/own/{page}" for page in pages), *(f"/api/v1/projects/own/{page}" for page in told)]
        answers = {path: self.client(role).get(path) for path in paths}
        return {path: f"{answer.headers}\n{body(answer)}" for path, answer in answers.items()}


@pytest.fixture
def blind(tmp_path: Path) -> BlindForm:
    return BlindForm(tmp_path)


def traces(pages: dict[str, str]) -> list[tuple[str, str]]:
    """Words of the metadata, except where a page repeats what its own address says."""
    said = {path: text.lower() for path, text in pages.items()}
    return [
        (path, word) for path, text in said.items() for word in TELLING if word.lower() in text and word not in path
    ]


def renamed() -> None:
    for item in Item.objects.all():
        item.metadata = {"model_a": "Zinc", "model_b": "Tin", "score": item.pk, "batch_of": "other", "new": "x"}
        item.save(update_fields=["metadata"])


@pytest.mark.parametrize("role", OTHERS)
def test_no_page_filter_or_order_tells_metadata_to_who_does_not_lead(blind: BlindForm, role: str) -> None:
    pages = blind.tried(role)
    assert traces(pages) == []
    before = {path: same(text) for path, text in pages.items()}
    renamed()
    after = {path: same(text) for path, text in blind.tried(role).items()}
    assert {path for path in before if before[path] != after[path]} == set()


def test_the_same_search_finds_metadata_where_leads_see_it(blind: BlindForm) -> None:
    assert {word for _path, word in traces(blind.tried("lead"))} >= {*MODELS, "4815162342"}


@pytest.mark.slow
@pytest.mark.parametrize("role", OTHERS)
def test_no_address_at_all_tells_metadata(blind: BlindForm, role: str) -> None:
    pages = blind.pages(role)
    assert len(pages) > 10
    assert traces(pages) == []
    before = {path: same(text) for path, text in pages.items()}
    renamed()
    after = {path: same(text) for path, text in blind.pages(role).items()}
    assert {path for path in before if before[path] != after.get(path)} == set()
    assert after.keys() == before.keys()


def test_releases_hold_metadata_only_for_leads(blind: BlindForm, tmp_path: Path) -> None:
    out = tmp_path / "release" / "own.jsonl"
    out.parent.mkdir()
    command("export_items", "own", "--out", out, "--state", "any")
    written_files = {path.name: path.read_text() for path in out.parent.iterdir()}
    assert [found for found in traces(written_files) if found[1] != "batch_of"] == []  # the definition names the column
    assert not SearchText.objects.filter(text__icontains="opal").exists()
    assert SearchText.objects.filter(text__icontains="planet").exists()


def test_no_model_is_sent_metadata(blind: BlindForm) -> None:
    kind, item = blind.project.kind, Item.objects.earliest("pk")
    sent: list[str] = []

    async def ask(question: Any) -> Any:
        sent.append(str(question))
        raise ValueError("enough")

    facts = kind.read_facts(item.facts)
    with pytest.raises(ValueError, match="enough"):
        run(kind.preannotate(facts, LenientOptions(), shipped("form"), ask, language="en"))
    assert item.facts["text_1"] in sent[0]
    assert traces({"": sent[0]}) == []


# --- chance -----------------------------------------------------------------------------------------------------------
PEOPLE = 20


def dealt_sides(items: int) -> list[tuple[str, int]]:
    """(model on the left, score of the item) of each hand-out to twenty people."""
    begin_anew()
    project = create_project(slug="sides", kind="form", definition=DEFINITION)
    Item.objects.bulk_create(
        Item(
            project=project,
            key=row["key"],
            facts={name: row[name] for name in ("prompt", "text_1", "text_2")},
            metadata={name: row[name] for name in ("model_a", "model_b", "score")},
            content_hash=row["key"],
        )
        for row in rows(items)
    )
    sides = []
    for item in Item.objects.filter(project=project).order_by("pk"):
        facts = project.kind.read_facts(item.facts)
        for person in range(1, PEOPLE + 1):
            [left, _right] = project.kind.dealt(facts, dealt_to(item, person))["order"]
            sides.append((item.metadata["model_a" if left == "text_1" else "model_b"], item.metadata["score"]))
    return sides


@pytest.mark.parametrize("items", [50, pytest.param(500, marks=pytest.mark.slow)])
def test_sides_are_balanced_and_say_nothing_about_metadata(items: int) -> None:
    sides = dealt_sides(items)
    assert len(sides) == items * PEOPLE
    left = Counter(model for model, _score in sides)
    assert chisquare([left[model] for model in MODELS]).pvalue > 0.01
    half = int(f"4815162342{items // 2:03}")
    table = [[sum(model == name and (score < half) == low for model, score in sides) for low in (True, False)]
             for name in MODELS]  # fmt: skip
    assert chi2_contingency(table).pvalue > 0.01
