"""What every kind must keep, run over all of them; and the promise that a kind is one folder."""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from django.conf import settings
from django.http import QueryDict
from django.template import engines
from django.template.loader import get_template, render_to_string

import annotate.kinds
from annotate.items import queue
from annotate.kinds import UnknownKind, all_kinds, find_kind, kind_of_votes
from annotate.kinds.contract import Kind
from annotate.kinds.protocol import CallFailed, Cause, Question, Reply
from annotate.kinds.values import BadShape, Candidate, ModelClassification, ModelSuggestion
from annotate.models import Item
from annotate.work import submit
from lib.texts.fencing import slots_of
from tests.support import canals, trees, use_cases
from tests.support.files import imported
from tests.support.people import FACTS, make_item, make_member, make_project, written
from tests.support.running import run
from tests.support.scripted import shipped
from tests.test_docs import code

KINDS = list(all_kinds().values())
EXAMPLES: dict[str, dict[str, Any]] = {
    "branching": trees.PAIR,
    "checklist_vote": {"prompt": "How many legs has a spider?", "answer": "Six.", "questions": ["Does it say eight?"]},
    "feedback": FACTS,
    "form": {"prompt": "How many legs has a spider?", "response": "Eight, as all arachnids."},
    "perturbation": canals.FACTS,
    "preference": {"prompt": "How many legs has a spider?", "first": "Eight.", "second": "Six."},
    "prompt": {"prompt": "How many legs has a spider?", "gold_answer": "Eight."},
    "score_vote": {"prompt": "How many legs has a spider?", "answer": "Eight, as all arachnids."},
    "use_case": use_cases.FACTS,
}


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
    assert set(names) <= set(kind.draft_names)
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


@pytest.mark.django_db
@pytest.mark.parametrize("kind", [kind for kind in KINDS if not kind.voted], ids=lambda kind: kind.slug)
def test_every_field_has_its_place_on_the_work_page(kind: Kind, client: Any) -> None:
    """Findings and comments lead there. A field that another one decides lies within that one's place, and votes have
    a place for each question.
    """
    project = make_project(kind_slug=kind.slug, reviews=0)
    make_item(project, facts=EXAMPLES[kind.slug])
    facts = kind.read_facts(EXAMPLES[kind.slug])
    client.force_login(make_member(project).user)
    page = client.post(f"/p/{project.slug}/work/next/", follow=True).content.decode()
    names = [field.name for field in kind.fields(facts) if not field.part_of]
    assert [name for name in names if f'id="field-{name}"' not in page] == []


# --- its card -------------------------------------------------------------------------------------------------------
DRAWN = set(re.findall(r"\.picture \.([\w-]+)", Path(settings.BASE_DIR, "static/css/start.css").read_text()))
LARGEST_PICTURE = 2048  # bytes; all cards are on one page


def test_a_sentence_says_what_people_do(kind: Kind) -> None:
    assert str(kind.about).endswith(".")


def test_its_picture_is_small_and_painted_by_the_theme(kind: Kind) -> None:
    text = render_to_string(kind.picture_template)
    assert len(text) <= LARGEST_PICTURE
    picture = ElementTree.fromstring(text)
    assert picture.attrib == {"class": "picture", "viewBox": "0 0 272 84", "aria-hidden": "true"}
    assert {shape.tag for shape in picture} <= {"rect", "path"}
    assert {name for shape in picture for name in shape.attrib["class"].split()} <= DRAWN
    assert not any(shape.attrib.keys() & {"style", "fill", "stroke"} for shape in picture)


def test_its_card_shows_facts_by_the_names_of_its_files(kind: Kind) -> None:
    written = {*kind.draft_names, "key", "suggestion", "final", "provenance"}
    assert kind.sample_facts
    assert not kind.sample_facts.keys() & written
    assert kind.sample_facts.items() <= json.loads(kind.sample.splitlines()[0]).items()


@pytest.mark.django_db
def test_its_sample_can_be_imported_as_it_is(kind: Kind, tmp_path: Path) -> None:
    path = tmp_path / "example.jsonl"
    path.write_text(kind.sample, encoding="utf-8")
    project = make_project(kind_slug=kind.slug)
    report = imported(project, path)
    assert (report["rejected"], report["problems"]) == (0, [])
    assert 1 < report["kept"] == len(kind.sample.splitlines())
    assert {item.state for item in Item.objects.filter(project=project)} == {"ready"}


def test_an_unknown_kind_is_refused_with_the_names_of_those_that_exist() -> None:
    with pytest.raises(UnknownKind, match="feedback"):
        find_kind("feedbakc")


@pytest.mark.parametrize("voted", ["checklist", "score", "preference"])
def test_every_sort_of_vote_has_a_kind(voted: str) -> None:
    assert kind_of_votes(voted).voted == voted
    assert kind_of_votes(voted).answers_shown


def test_an_unknown_sort_of_vote_is_refused() -> None:
    with pytest.raises(UnknownKind, match="stars"):
        kind_of_votes("stars")


# --- what models do -------------------------------------------------------------------------------------------------
class Careless:
    """Answers every question in its shape with as little, or as odd, a content as the shape lets through."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.asked: list[Question] = []

    async def __call__(self, question: Question, /) -> Reply:
        self.asked.append(question)
        if question.answer is None:
            return Reply(self.text)
        schema = question.answer.model_json_schema()
        return Reply("{}", question.answer.model_validate(self._value(schema, schema.get("$defs", {}))))

    def _value(self, schema: dict[str, Any], named: dict[str, Any]) -> Any:
        if "$ref" in schema:
            return self._value(named[schema["$ref"].rsplit("/", 1)[1]], named)
        if schema["type"] == "object":
            return {name: self._value(inner, named) for name, inner in schema["properties"].items()}
        if schema["type"] == "array":
            return [self._value(schema["items"], named)] * 2 if self.text else []
        return {"string": self.text, "number": 7.5, "integer": 7, "boolean": False}[schema["type"]]


def suggested_by(kind: Kind, facts: Any, ask: Any, language: str = "en") -> ModelSuggestion:
    return run(kind.preannotate(facts, kind.options(), shipped(kind.slug), ask, language=language))


DRAFTED = [kind for kind in KINDS if kind.preannotation_steps]
drafted = pytest.mark.parametrize("kind", DRAFTED, ids=lambda kind: kind.slug)
carelessly = pytest.mark.parametrize(
    "text", ["", " ", "no such label", "a" * 5000], ids=["empty", "blank", "odd", "long"]
)


@drafted
@carelessly
def test_whatever_a_model_says_becomes_a_draft_with_doubts(kind: Kind, facts: Any, text: str) -> None:
    suggested = suggested_by(kind, facts, Careless(text))
    draft = kind.read_draft(suggested.draft)
    names = {field.name for field in kind.fields(facts)}
    assert suggested.doubts
    assert {doubt.field for doubt in suggested.doubts} <= names | {""}
    assert draft.stored() == suggested.draft
    for candidate in suggested.candidates:
        assert isinstance(candidate, Candidate)
        kind.read_draft({**suggested.draft, **candidate.draft})


# How often these ask depends on the replies; they say the most it can be.
BY_WHAT_IS_SAID = {"branching"}


@drafted
def test_it_asks_as_often_as_it_says_by_steps_that_differ(kind: Kind, facts: Any) -> None:
    ask = Careless("words")
    suggested_by(kind, facts, ask)
    steps = [question.step for question in ask.asked]
    expected = kind.preannotation_calls(facts, kind.options())
    assert 0 < len(steps) == len(set(steps)) <= expected
    assert len(steps) == expected or kind.slug in BY_WHAT_IS_SAID
    assert {step.split("/")[0] for step in steps} <= set(kind.preannotation_steps)


@drafted
def test_the_same_item_is_asked_about_in_the_same_words(kind: Kind, facts: Any) -> None:
    once, again = Careless("words"), Careless("words")
    suggested_by(kind, facts, once)
    suggested_by(kind, facts, again)
    assert [one.digest("m") for one in once.asked] == [one.digest("m") for one in again.asked]


@drafted
def test_a_step_without_a_reply_ends_it(kind: Kind, facts: Any) -> None:
    async def never(question: Question, /) -> Reply:
        raise CallFailed(Cause.TIMEOUT, step=question.step)

    with pytest.raises(CallFailed):
        suggested_by(kind, facts, never)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.classification_steps], ids=lambda kind: kind.slug)
@carelessly
def test_whatever_a_model_says_is_a_label_or_none_of_the_list(kind: Kind, facts: Any, text: str) -> None:
    found = run(kind.classify(facts, kind.options(), shipped(kind.slug), Careless(text), language="en"))
    assert isinstance(found, ModelClassification)
    assert not found.listed
    assert set(kind.label_fields) <= set(kind.draft_names)


def test_every_step_has_its_prompt_in_english_and_the_same_slots_in_every_language(kind: Kind) -> None:
    texts = shipped(kind.slug).texts
    steps = {*kind.preannotation_steps, *kind.classification_steps, *kind.gold_steps, *kind.bridging_steps}
    assert steps == {step for step, _language in texts}
    for (step, language), text in texts.items():
        assert slots_of(text) == slots_of(texts[step, "en"]), (step, language)
        assert slots_of(text)


# --- the one-folder promise -----------------------------------------------------------------------------------------
@pytest.fixture
def rating(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The kind of docs/kinds.md: one more folder beside the others."""
    folder = tmp_path / "rating"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "kind.py").write_text("\n".join(code("docs/kinds.md", "python")))
    files = {"html": ("material.html", "form.html"), "svg": ("picture.svg",), "json": ("sample.jsonl",)}
    for language, names in files.items():
        for name, text in zip(names, code("docs/kinds.md", language), strict=True):
            (folder / name).write_text(text)
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
    submit.submit(annotation=written(slot, member, {"stars": 4, "reason": ""}), token=slot.token, by=member.user)
    item = Item.objects.get()
    assert (item.state, item.base.draft) == ("accepted", {"stars": 4, "reason": ""})
    row = {"sentence": "The sea is calm.", "stars": 4, "reason": ""}
    assert project.kind.write_row(item.facts, item.base.draft) == row


@pytest.mark.django_db
def test_a_second_kind_brings_its_own_work_page(rating: Path, client: Any) -> None:
    project = make_project(kind_slug="rating", reviews=0)
    make_item(project, facts={"sentence": "The sea is calm."})
    member = make_member(project)
    client.force_login(member.user)
    page = client.post(f"/p/{project.slug}/work/next/", follow=True).content.decode()
    assert "The sea is calm." in page
    for part in ('id="field-stars"', 'type="radio" name="stars" value="5"', 'id="field-reason"', 'name="reason"'):
        assert part in " ".join(page.split())


@pytest.mark.django_db
def test_a_second_kind_brings_its_own_card_and_example(rating: Path, client: Any) -> None:
    client.force_login(make_member(make_project(), "lead").user)
    page = client.get("/projects/new/").content.decode()
    for part in ('value="rating"', "One to five stars for a sentence.", "The train was late again."):
        assert part in page
    assert client.get("/projects/new/example/?kind=rating").content.decode() == (rating / "sample.jsonl").read_text()


def test_every_fact_has_a_label_for_people(kind: Kind) -> None:
    if not kind.defined:
        assert set(kind.fact_labels) == set(kind.fact_names)
