"""What every kind must keep, run over all of them; and the promise that a kind is one folder."""

import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from django.http import QueryDict
from django.template import engines
from django.template.loader import get_template

import annotate.kinds
from annotate.kinds import UnknownKind, all_kinds, find_kind
from annotate.kinds.base import BadShape, Kind
from annotate.models import Item
from annotate.services import queue, submitting
from tests.support.people import FACTS, make_item, make_member, make_project, written

KINDS = list(all_kinds().values())
EXAMPLES: dict[str, dict[str, Any]] = {"feedback": FACTS}


@pytest.fixture(params=KINDS, ids=lambda kind: kind.slug)
def kind(request: pytest.FixtureRequest) -> Kind:
    return request.param


@pytest.fixture
def facts(kind: Kind) -> Any:
    return kind.read_facts(EXAMPLES[kind.slug])


def test_its_folder_is_its_slug_with_its_two_templates(kind: Kind) -> None:
    assert type(kind).__module__ == f"annotate.kinds.{kind.slug}.kind"
    assert get_template(kind.material_template)
    assert get_template(kind.form_template)


def test_facts_survive_storing_and_reading(kind: Kind, facts: Any) -> None:
    assert kind.read_facts(facts.stored()) == facts


def test_unknown_fields_are_refused_by_name(kind: Kind) -> None:
    with pytest.raises(BadShape) as refused:
        kind.read_facts(EXAMPLES[kind.slug] | {"surprise": 1})
    assert [found.path for found in refused.value.findings] == ["surprise"]


def test_an_empty_draft_has_a_title_and_asks_for_work(kind: Kind, facts: Any) -> None:
    draft = kind.read_draft(kind.empty_draft(facts))
    options = kind.options()
    assert 0 < len(kind.title(facts)) <= 160
    assert kind.problems(facts, draft, options)
    assert isinstance(kind.doubts(facts, draft, options), list)


def test_its_fields_are_fields_of_its_draft(kind: Kind, facts: Any) -> None:
    names = [field.name for field in kind.fields(facts)]
    assert set(names) <= set(kind.draft.model_fields)
    assert len(names) == len(set(names))


def test_every_finding_belongs_to_a_field_of_the_form(kind: Kind, facts: Any) -> None:
    draft = kind.read_draft(kind.empty_draft(facts))
    names = {field.name for field in kind.fields(facts)}
    assert {found.field for found in kind.problems(facts, draft, kind.options())} <= names


def test_an_empty_form_is_read_without_an_error(kind: Kind, facts: Any) -> None:
    assert isinstance(kind.read_form(QueryDict(""), facts), dict)


def test_a_row_that_was_written_is_read_back(kind: Kind, facts: Any) -> None:
    draft = kind.empty_draft(facts)
    native = kind.read_row(kind.write_row(facts.stored(), draft))
    assert kind.read_facts(native.facts) == facts
    assert kind.read_draft(native.draft) == kind.read_draft(draft)


def test_an_unknown_kind_is_refused_with_the_names_of_those_that_exist() -> None:
    with pytest.raises(UnknownKind, match="feedback"):
        find_kind("feedbakc")


# --- the one-folder promise -----------------------------------------------------------------------------------------
RATING = """
from typing import Any

from django.http import QueryDict

from annotate.kinds.base import Field, Kind
from annotate.kinds.shapes import Finding, Shape


class Sentence(Shape):
    sentence: str


class Stars(Shape):
    stars: int


class Rating(Kind):
    slug = "rating"
    name = "Ratings"
    about = "One to five stars for a sentence."
    facts = Sentence
    draft = Stars

    def title(self, facts: Sentence) -> str:
        return facts.sentence[:160]

    def empty_draft(self, facts: Sentence) -> dict[str, Any]:
        return {"stars": 0}

    def fields(self, facts: Sentence) -> list[Field]:
        return [Field("stars", "Stars", "choice")]

    def problems(self, facts: Sentence, draft: Stars, options: Any) -> list[Finding]:
        return [] if 1 <= draft.stars <= 5 else [Finding("stars", "choose one to five.")]

    def read_form(self, data: QueryDict, facts: Sentence) -> dict[str, Any]:
        return {"stars": int(data.get("stars", "0"))}


KIND = Rating()
"""


@pytest.fixture
def rating(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A second kind, made by putting one folder beside the others."""
    folder = tmp_path / "rating"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "kind.py").write_text(dedent(RATING))
    (folder / "material.html").write_text("<p>{{ facts.sentence }}</p>")
    (folder / "form.html").write_text('<input name="stars" value="{{ draft.stars }}" aria-label="Stars">')
    monkeypatch.setattr(annotate.kinds, "__path__", [*annotate.kinds.__path__, str(tmp_path)])
    filesystem = engines["django"].engine.template_loaders[0].loaders[0]
    monkeypatch.setattr(filesystem, "dirs", [*filesystem.engine.dirs, tmp_path])
    all_kinds.cache_clear()
    yield folder
    all_kinds.cache_clear()
    for module in [name for name in sys.modules if name.startswith("annotate.kinds.rating")]:
        del sys.modules[module]


@pytest.mark.django_db
def test_a_second_kind_is_one_folder_from_claim_to_acceptance(rating: Path) -> None:
    project = make_project(kind_slug="rating", reviews=0)
    make_item(project, facts={"sentence": "The sea is calm."})
    member = make_member(project)
    slot = queue.claim_next(member, "annotate")
    submitting.submit(annotation=written(slot, member, {"stars": 4}), token=slot.token, by=member.user)
    item = Item.objects.get()
    assert (item.state, item.base.draft) == ("accepted", {"stars": 4})
    assert project.kind.write_row(item.facts, item.base.draft) == {"sentence": "The sea is calm.", "stars": 4}


@pytest.mark.django_db
def test_a_second_kind_brings_its_own_work_page(rating: Path, client: Any) -> None:
    project = make_project(kind_slug="rating", reviews=0)
    make_item(project, facts={"sentence": "The sea is calm."})
    member = make_member(project)
    client.force_login(member.user)
    page = client.post(f"/p/{project.slug}/work/next/", follow=True).content.decode()
    assert "The sea is calm." in page
    assert 'name="stars"' in page
