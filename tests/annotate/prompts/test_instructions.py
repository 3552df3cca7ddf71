from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from annotate.engine import prompts
from annotate.engine.prompt_files import shipped
from annotate.engine.prompts import Key
from annotate.models import Annotation, Item, Member, Project, Run, Slot
from annotate.prompts import instructions
from annotate.prompts.instructions import InstructionRow
from annotate.runs.plan import plan_run, prompts_of
from tests.annotate.purposes.test_perturb import GOLD, PERTURB, SAID, prompt
from tests.support.people import make_member, make_project
from tests.support.running import run
from tests.support.runs import make_endpoint
from tests.support.scripted import Script

pytestmark = pytest.mark.django_db
KEY = Key("perturbation", "number-errors", "en")


@pytest.fixture
def target() -> Project:
    return make_project(kind_slug="perturbation")


@pytest.fixture
def source() -> Project:
    return make_project(kind_slug="prompt")


def made_by_a_run(source: Project, target: Project, *, looked_at: float = 1.0, again: bool = False) -> list[Item]:
    options = {"into": target.slug, "categories": ["number-errors"], "looked_at": looked_at, "again": again}
    planned = plan_run(project=source, purpose="perturb", endpoint=make_endpoint(), by=None, options=options)
    before = set(Item.objects.filter(project=target).values_list("pk", flat=True))
    for case in PERTURB.load(planned, list(planned.jobs.all()), prompts_of(planned)):
        PERTURB.store(case, run(PERTURB.work(case, Script(SAID))))
    return list(Item.objects.filter(project=target).exclude(pk__in=before).order_by("pk"))


def said(item: Item, by: Member, **draft: Any) -> None:
    """Handed in by somebody, as the desk would keep it."""
    made = Annotation.objects.get(item=item, model__gt="")
    slot = Slot.objects.get(item=item)
    Annotation.objects.create(
        item=item, slot=slot, author=by.user, authored=True, outcome="annotated",
        submitted_at=item.created_at, draft={**made.draft, "verdict": "valid", **draft},
    )  # fmt: skip
    Slot.objects.filter(pk=slot.pk).update(state="submitted", holder=by.user)


def rows(source: Project) -> list[InstructionRow]:
    return instructions.rows(source, "perturb")


def test_nothing_made_has_no_rows(source: Project, target: Project) -> None:
    assert rows(source) == []


def test_what_passes_is_the_wanted_verdict_on_the_text_as_it_was_made(source: Project, target: Project) -> None:
    for _number in range(5):
        prompt(source)
    lead = make_member(target, "lead")
    right, corrected, invalid, _waiting, _other = made_by_a_run(source, target)
    said(right, lead)
    said(corrected, lead, perturbed_answer="The canal is 8 kilometres long.")
    said(invalid, lead, verdict="invalid")
    (row,) = rows(source)
    assert (row.name, row.made, row.drawn) == ("Factual: Number errors", 5, 5)
    assert (row.first, row.all) == ((1, 3), (1, 3))
    assert (row.version and row.version.project, row.key) == (None, str(KEY))


def test_the_drawn_share_is_counted_apart_from_the_rest(source: Project, target: Project) -> None:
    for _number in range(3):
        prompt(source)
    made = made_by_a_run(source, target, looked_at=0.0)
    said(made[0], make_member(target))
    (row,) = rows(source)
    assert (row.made, row.drawn, row.first, row.all) == (3, 0, (0, 0), (1, 1))


def test_each_version_of_a_prompt_has_a_row_of_its_own_the_newest_first(source: Project, target: Project) -> None:
    prompt(source)
    lead = make_member(target, "lead")
    (old,) = made_by_a_run(source, target)
    said(old, lead, verdict="invalid")
    text = shipped("perturbation")["number-errors", "en"].text + "\n\nTake a number that matters."
    prompts.write(source, KEY, text=text, note="clearer", by=lead.user, based_on=0)
    (new,) = made_by_a_run(source, target, again=True)
    said(new, lead)
    newest, before = rows(source)
    assert (newest.version and newest.version.text, newest.all) == (text, (1, 1))
    assert (before.version and before.version.project, before.all) == (None, (0, 1))


def test_an_unfinished_text_and_another_projects_items_say_nothing(source: Project, target: Project) -> None:
    prompt(source)
    (item,) = made_by_a_run(source, target)
    Annotation.objects.create(
        item=item, slot=Slot.objects.get(item=item), author=make_member(target).user, draft={"verdict": "valid"}
    )
    prompt(other := make_project(kind_slug="prompt"))
    made_by_a_run(other, target)
    (row,) = rows(source)
    assert (row.made, row.all) == (1, (0, 0))


def test_as_many_queries_for_many_as_for_one(
    source: Project, target: Project, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for _number in range(6):
        prompt(source)
    for item in made_by_a_run(source, target):
        said(item, make_member(target))
    with django_assert_max_num_queries(7):
        rows(source)


def test_the_page_leads_to_the_prompt_and_to_making_only_its_category_again(
    client: Client, source: Project, target: Project
) -> None:
    lead = make_member(source, "lead")
    client.force_login(lead.user)
    page = f"/p/{source.slug}/prompts/made/"
    assert "Nothing generated yet" in client.get(page).content.decode()
    prompt(source)
    (item,) = made_by_a_run(source, target)
    said(item, make_member(target))
    html = client.get(page).content.decode()
    assert "1 of 1; 1 drawn" in html
    assert f"/p/{source.slug}/prompts/perturbation.number-errors.en/edit/" in html
    assert "run-option-categories=number-errors&amp;run-option-again=on" in html
    assert page in client.get(f"/p/{source.slug}/prompts/").content.decode()
    assert GOLD not in html


def test_strangers_and_annotators_do_not_see_it(client: Client, source: Project) -> None:
    client.force_login(make_member(source, "annotator").user)
    assert client.get(f"/p/{source.slug}/prompts/made/").status_code == 403
    client.force_login(make_member(make_project(), "lead").user)
    assert client.get(f"/p/{source.slug}/prompts/made/").status_code == 404
    assert not Run.objects.exists()
