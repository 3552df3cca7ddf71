from typing import Any

import pytest
from django.test import Client

from annotate.engine import prompts
from annotate.engine.prompt_files import shipped
from annotate.engine.purposes import Case, Telling, purposes
from annotate.errors import Refused
from annotate.items import actions
from annotate.items.queue import claim_next
from annotate.kinds import find_kind
from annotate.kinds.protocol import CallFailed, Cause, Prompts
from annotate.models import Annotation, Event, Item, Job, Member, Project, Run, Slot
from annotate.prompts import queries, trials
from annotate.runs.plan import plan_run
from tests.annotate.purposes.test_preannotate import make_run
from tests.support.people import make_item, make_member, make_project
from tests.support.running import run
from tests.support.runs import make_endpoint
from tests.support.scripted import Script

pytestmark = pytest.mark.django_db
PERTURB, TRY = purposes()["perturb"], purposes()["try_prompt"]
GOLD = "The canal is 82 kilometres long."
SAID = {
    "number-errors": {"perturbed_answer": "The canal is 28 kilometres long.", "explanation": "82 became 28."},
    "opposite-fact": {"perturbed_answer": "The canal is not 82 kilometres long.", "explanation": "A not came in."},
    "score_invariant": {"perturbed_answer": "82 kilometres is its length.", "explanation": "Other words, canal."},
}
DECIDED = {"ability": "factual", "gold_verdict": "right", "edited_answer": "", "note": ""}
PROMPTS = Prompts(find_kind("perturbation").wordings(), dict.fromkeys(find_kind("perturbation").wordings(), 3))


@pytest.fixture
def target() -> Project:
    return make_project(kind_slug="perturbation")


@pytest.fixture
def source() -> Project:
    return make_project(kind_slug="prompt")


def prompt(project: Project, state: str = "accepted", **draft: Any) -> Item:
    item = make_item(project, facts={"prompt": "How long is the canal?", "gold_answer": GOLD})
    base = Annotation.objects.create(item=item, draft=DECIDED | draft, rater="import")
    Item.objects.filter(pk=item.pk).update(state=state, base=base)
    item.refresh_from_db()
    return item


def planned(source: Project, target: Project, *categories: str, **options: Any) -> Run:
    return make_run(source, "perturb", options={"into": target.slug, "categories": list(categories), **options})


def cases(of: Run) -> list[Case]:
    jobs = [Job.objects.get_or_create(run=of, subject=one.subject, item_id=one.item_id)[0] for one in PERTURB.plan(of)]
    return PERTURB.load(of, jobs, PROMPTS)


def worked(of: Run, said: dict[str, Any] = SAID) -> list[Case]:
    found = cases(of)
    for case in found:
        PERTURB.store(case, run(PERTURB.work(case, Script(said))))
    return found


def test_every_accepted_prompt_gets_the_categories_of_its_ability_and_the_paraphrase(
    source: Project, target: Project
) -> None:
    item = prompt(source)
    prompt(source, state="ready")
    found = [one.subject.rsplit("/", 1)[1] for one in PERTURB.plan(planned(source, target))]
    known = target.kind_options.taxonomy.categories
    assert found == [slug for slug, one in known.items() if one.ability in ("factual", "score-invariant")]
    only = list(PERTURB.plan(planned(source, target, "number-errors", "grammar-errors")))
    assert [(one.subject, one.item_id) for one in only] == [(f"item/{item.pk}/number-errors", item.pk)]


def test_a_gold_answer_that_is_wrong_or_missing_is_not_perturbed(source: Project, target: Project) -> None:
    prompt(source, gold_verdict="wrong")
    assert list(PERTURB.plan(planned(source, target))) == []


def test_a_child_is_made_with_facts_suggestion_and_parent_once(source: Project, target: Project) -> None:
    item = prompt(source)
    of = planned(source, target, "number-errors", looked_at=0)
    (case,) = worked(of)
    PERTURB.store(case, run(PERTURB.work(case, Script(SAID))))
    child = Item.objects.get(project=target)
    assert (child.parent, child.state, child.group) == (item, "ready", "number-errors")
    assert child.key == f"number-errors/{item.key}"
    assert child.facts == {
        "prompt": "How long is the canal?",
        "gold_answer": GOLD,
        "ability": "factual",
        "category": "number-errors",
        "explanation": "82 became 28.",
        "cdx": item.key,
    }
    made = Annotation.objects.get(item=child)
    assert made.draft == {"perturbed_answer": "The canal is 28 kilometres long.", "verdict": None, "note": ""}
    assert (made.run, made.model, made.prompt_version, made.doubts) == (of, "drafter-b", "v3 en", [])
    assert Slot.objects.filter(item=child, state="open").count() == 1
    assert list(Event.objects.filter(item=child).values_list("verb", flat=True)) == ["made"]
    assert PERTURB.outcomes(of, [item.pk]) == {item.pk: {"number-errors": made.draft}}
    assert list(PERTURB.plan(planned(source, target, "number-errors"))) == []


def test_an_edited_gold_answer_is_the_one_that_is_perturbed(source: Project, target: Project) -> None:
    prompt(source, gold_verdict="edited", edited_answer="It is 82 kilometres long.")
    worked(planned(source, target, "number-errors"))
    assert Item.objects.get(project=target).facts["gold_answer"] == "It is 82 kilometres long."


def test_what_the_model_left_as_it_was_and_what_it_said_twice_is_told_before_a_person_looks(
    source: Project, target: Project
) -> None:
    prompt(source)
    same = {"perturbed_answer": GOLD, "explanation": "Nothing."}
    alike = {"perturbed_answer": "The canal is 28 kilometres long.", "explanation": "28 for 82."}
    worked(planned(source, target, "number-errors", "opposite-fact", "remove-fact"),
           {"number-errors": alike, "opposite-fact": same, "remove-fact": alike})  # fmt: skip
    doubts = {one.item.group: [doubt["message"] for doubt in one.doubts] for one in Annotation.objects.filter(
        item__project=target).select_related("item")}  # fmt: skip
    assert doubts["number-errors"] == []
    assert any("gold answer, character for character" in told for told in doubts["opposite-fact"])
    assert any("number-errors/" in told for told in doubts["remove-fact"])


def test_making_one_category_again_withdraws_what_nobody_has_begun_and_leaves_the_rest(
    source: Project, target: Project
) -> None:
    item = prompt(source)
    worked(planned(source, target, "number-errors", "opposite-fact", looked_at=0))
    again = planned(source, target, "number-errors", again=True, looked_at=0)
    worked(again, {"number-errors": SAID["number-errors"] | {"perturbed_answer": "The canal is 8.2 kilometres long."}})
    told = list(Item.objects.filter(project=target).order_by("pk").values_list("key", "state", "drop_reason"))
    assert told == [
        (f"number-errors/{item.key}", "dropped", "withdrawn"),
        (f"opposite-fact/{item.key}", "ready", ""),
        (f"number-errors/{item.key}~2", "ready", ""),
    ]


def test_what_is_in_somebodys_hands_is_not_swapped(source: Project, target: Project) -> None:
    item = prompt(source)
    worked(planned(source, target, "number-errors", looked_at=0))
    first = Item.objects.get(project=target)
    person = make_member(target)
    assert claim_next(person, "annotate") is not None
    worked(planned(source, target, "number-errors", again=True, looked_at=0))
    first.refresh_from_db()
    assert (first.state, first.annotations.exclude(model="").count()) == ("ready", 1)
    assert Item.objects.filter(project=target, parent=item, state="ready").count() == 2


def test_what_is_accepted_is_not_made_again(source: Project, target: Project) -> None:
    prompt(source)
    worked(planned(source, target, "number-errors"))
    Item.objects.filter(project=target).update(state="accepted")
    assert list(PERTURB.plan(planned(source, target, "number-errors", again=True))) == []


def test_a_key_that_another_prompts_child_has_is_told_apart(source: Project, target: Project) -> None:
    one, other = prompt(source), prompt(make_project(kind_slug="prompt"))
    Item.objects.filter(pk=other.pk).update(key=one.key)
    worked(planned(source, target, "number-errors"))
    worked(planned(Project.objects.get(pk=other.project_id), target, "number-errors"))
    keys = list(Item.objects.filter(project=target).order_by("pk").values_list("key", flat=True))
    assert keys[0] == f"number-errors/{one.key}"
    assert keys[1].startswith(f"number-errors/{one.key}-")


def test_a_long_key_is_shortened_so_that_it_fits(source: Project, target: Project) -> None:
    item = prompt(source)
    Item.objects.filter(pk=item.pk).update(key="k" * 200)
    worked(planned(source, target, "number-errors"))
    assert len(Item.objects.get(project=target).facts["cdx"]) <= 79


def test_a_share_is_reserved_for_whoever_planned_the_run(source: Project, target: Project) -> None:
    lead = make_member(target, "lead").user
    prompt(source)
    of = planned(source, target, looked_at=0.5)
    Run.objects.filter(pk=of.pk).update(created_by=lead)
    of.refresh_from_db()
    everything = dict.fromkeys(target.kind_options.taxonomy.categories, SAID["number-errors"])
    worked(of, everything)
    first = set(Item.objects.filter(project=target, priority__gt=0).values_list("pk", flat=True))
    assert 0 < len(first) < Item.objects.filter(project=target).count()
    assert set(Slot.objects.filter(reserved_for=lead).values_list("item_id", flat=True)) == first


def test_an_item_that_was_reopened_meanwhile_fails_and_says_why(source: Project, target: Project) -> None:
    item = prompt(source)
    of = planned(source, target, "number-errors")
    cases(of)
    actions.reopen(item, by=make_member(source, "lead").user, note="Once more.")
    (case,) = PERTURB.load(of, list(of.jobs.all()), PROMPTS)
    with pytest.raises(CallFailed) as failed:
        run(PERTURB.work(case, Script(SAID)))
    assert failed.value.cause == Cause.UNSUITABLE


def test_who_does_not_lead_the_other_project_makes_nothing_there(source: Project, target: Project) -> None:
    prompt(source)
    person = make_member(source, "lead").user
    asked: dict[str, Any] = {
        "project": source, "purpose": "perturb", "endpoint": make_endpoint(), "options": {"into": target.slug},
    }  # fmt: skip
    with pytest.raises(Refused, match="You do not lead"):
        plan_run(by=person, **asked)
    assert not Run.objects.exists()
    Member.objects.create(project=target, user=person, role="lead")
    assert plan_run(by=person, **asked).jobs.count() == 7


def test_a_project_that_is_not_one_of_perturbations_is_refused(source: Project) -> None:
    make_project(kind_slug="perturbation")
    with pytest.raises(Refused, match="no project"):
        list(PERTURB.plan(planned(source, make_project())))


def test_the_frozen_prompts_are_those_of_the_chosen_categories(source: Project, target: Project) -> None:
    prompt(source)
    made = plan_run(
        project=source, purpose="perturb", endpoint=make_endpoint(), by=None,
        options={"into": target.slug, "categories": ["number-errors"]},
    )  # fmt: skip
    assert sorted(made.prompts.values_list("scope", "step", "language")) == [
        ("perturbation", "number-errors", "en"), ("perturbation", "number-errors", "zh")]  # fmt: skip


def test_a_category_of_the_projects_own_is_asked_for_in_its_own_words(source: Project, target: Project) -> None:
    own = {"name": "Anachronism", "ability": "factual", "definition": "Out of its time.", "prompt": "Move a year."}
    target.options = {"categories": {"anachronism": own}}
    target.save()
    prompt(source)
    script = Script({"anachronism": SAID["number-errors"]})
    (case,) = cases(planned(source, target, "anachronism"))
    run(PERTURB.work(case, script))
    assert "Move a year." in script.said("anachronism")
    assert PERTURB.steps(planned(source, target, "anachronism")) == ["category"]


def test_the_prompt_project_offers_the_prompts_of_every_category(source: Project, target: Project) -> None:
    assert "perturbation.number-errors.zh" in queries.keys(source)
    assert not any(key.scope == "perturbation" for key in queries.keys(target).values())
    for key in queries.keys(source).values():
        assert key.scope in ("prompt", "perturbation", "system")
        file = shipped(key.scope)[key.step, key.language]
        assert prompts.checked(key, file.text) == file.text
    assert PERTURB.tried_with(source, "perturbation", "number-errors") == {
        "into": target.slug, "categories": ["number-errors"]}  # fmt: skip


def test_the_form_of_runs_asks_for_the_project_first_and_then_lists_its_categories(
    client: Client, source: Project, target: Project
) -> None:
    other = make_project(kind_slug="perturbation")
    lead = make_member(source, "lead")
    Member.objects.create(project=target, user=lead.user, role="lead")
    make_endpoint()
    prompt(source)
    client.force_login(lead.user)
    address = f"/p/{source.slug}/runs/new/"
    choice = client.get(address, {"run-purpose": "perturb"}).content.decode()
    assert target.name in choice
    assert other.name in choice
    form = client.get(address, {"run-purpose": "perturb", "run-option-into": target.slug})
    assert form.status_code == 200
    said = form.content.decode()
    assert "Factual: Number errors" in said
    assert "Share reserved for your review" in said
    posted = {
        "run-purpose": "perturb",
        "run-endpoint": make_endpoint().name,
        "run-option-into": target.slug,
        "run-option-categories": ["number-errors", "opposite-fact"],
        "run-option-looked_at": "0.5",
    }
    assert client.post(address, posted).status_code == 302
    made = Run.objects.get()
    assert made.options["categories"] == ["number-errors", "opposite-fact"]
    assert made.jobs.count() == 2


def test_the_prompt_of_a_category_is_tried_on_accepted_prompts_and_makes_nothing(
    source: Project, target: Project
) -> None:
    prompt(source)
    prompt(source, state="ready")
    lead = make_member(source, "lead").user
    key = prompts.Key("perturbation", "number-errors", "en")
    tried = plan_run(
        project=source, purpose="try_prompt", endpoint=make_endpoint(), by=lead,
        options=trials.used_by(source, key) | {"version": prompts.current(source, *key.columns.values()).pk},
    )  # fmt: skip
    assert tried.options["purpose"] == "perturb"
    (case,) = TRY.load(tried, list(tried.jobs.all()), PROMPTS)
    found = run(TRY.work(case, Script(SAID)))
    TRY.store(case, found)
    assert isinstance(found, Telling)
    assert [text for _label, text in found.told()] == list(SAID["number-errors"].values())
    assert not Item.objects.filter(project=target).exists()


def test_a_category_that_got_a_prompt_of_its_own_after_planning_fails_and_says_so(
    source: Project, target: Project
) -> None:
    prompt(source)
    of = planned(source, target, "number-errors")
    cases(of)
    Project.objects.filter(pk=target.pk).update(options={"categories": {"number-errors": {"prompt": "Otherwise."}}})
    frozen = {at: text for at, text in PROMPTS.texts.items() if at[0] == "number-errors"}
    (case,) = PERTURB.load(of, list(of.jobs.all()), Prompts(frozen))
    with pytest.raises(CallFailed, match="plan another run"):
        run(PERTURB.work(case, Script(SAID)))


def test_what_no_longer_fits_when_its_turn_comes_is_not_asked(source: Project, target: Project) -> None:
    item = prompt(source)
    of = planned(source, target, "number-errors")
    cases(of)
    assert item.base is not None
    for draft, said in (
        (DECIDED | {"gold_verdict": "wrong"}, "no longer fits"),
        ({"gold_verdict": ["right"]}, "gold_verdict"),
    ):
        Annotation.objects.filter(pk=item.base.pk).update(draft=draft)
        (case,) = PERTURB.load(of, list(of.jobs.all()), PROMPTS)
        with pytest.raises(CallFailed, match=said) as failed:
            run(PERTURB.work(case, Script(SAID)))
        assert failed.value.cause == Cause.UNSUITABLE
    assert not Item.objects.filter(project=target).exists()


def test_an_item_that_cannot_be_read_gets_no_job(source: Project, target: Project) -> None:
    broken, sound = prompt(source), prompt(source)
    Item.objects.filter(pk=broken.pk).update(facts={"prompt": 7})
    assert [one.item_id for one in PERTURB.plan(planned(source, target, "number-errors"))] == [sound.pk]


def test_items_are_planned_in_parts_and_none_is_left_out(
    source: Project, target: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("annotate.purposes.perturb.CHUNK", 2)
    items = [prompt(source).pk for _number in range(4)]
    assert [one.item_id for one in PERTURB.plan(planned(source, target, "number-errors"))] == items


def test_without_its_project_a_run_has_no_prompts(source: Project, target: Project) -> None:
    of = planned(source, target, "number-errors")
    assert PERTURB.steps(of)
    target.delete()
    assert PERTURB.steps(Run.objects.get(pk=of.pk)) == []
