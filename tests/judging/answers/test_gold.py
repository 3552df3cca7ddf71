import pytest
from pytest_django import DjangoAssertNumQueries

from annotate.engine.purposes import purposes
from annotate.models import Run
from judging.answers.cases import case_of
from judging.answers.store import ensure, key_of
from judging.models import Answer, Author, Judge, Verdict
from judging.strategies.strategy import strategies
from judging.verdicts.sightings import known_of, sightings
from tests.support.judged import CORRECTION, decided_item
from tests.support.judges import shipped, simulated
from tests.support.people import make_project
from tests.support.perturbations import Spoiled, perturbation_project, perturbed_item
from tests.support.running import run
from tests.support.runs import make_endpoint, make_run

pytestmark = pytest.mark.django_db
JUDGE = purposes()["judge"]
ONE = Spoiled("2 + 2?", "2 + 2 = 4.", "2 + 2 = 5.", "reasoning", "calculation-errors")


def answers() -> list[tuple[str, str, int, str]]:
    found = Answer.objects.order_by("item", "author__name", "version")
    return list(found.values_list("author__name", "author__sort", "version", "text"))


def test_the_answers_that_items_hold_become_answers_of_their_authors() -> None:
    project = perturbation_project()
    perturbed_item(project, ONE)
    assert ensure(project) == 2
    assert answers() == [("gold", "gold", 1, "2 + 2 = 4."), ("perturbed", "perturbed", 1, "2 + 2 = 5.")]


def test_a_second_time_changes_nothing_and_another_text_is_another_version() -> None:
    project = perturbation_project()
    item = perturbed_item(project, ONE)
    ensure(project)
    assert ensure(project) == 0
    item.base.draft["perturbed_answer"] = "2 + 2 = 3."
    item.base.save(update_fields=["draft"])
    assert ensure(project) == 1
    assert answers()[1:] == [("perturbed", "perturbed", 1, "2 + 2 = 5."), ("perturbed", "perturbed", 2, "2 + 2 = 3.")]


def test_an_undecided_item_and_one_of_another_kind_have_none() -> None:
    project = perturbation_project()
    item = perturbed_item(project, ONE)
    item.state = "open"
    item.save(update_fields=["state"])
    other = make_project()
    decided_item(other, CORRECTION)
    assert ensure(project) == ensure(other) == 0
    assert not Author.objects.exists()


def test_an_invalid_perturbation_leaves_its_gold_answer_only() -> None:
    project = perturbation_project()
    perturbed_item(project, ONE, verdict="invalid")
    assert ensure(project) == 1
    assert [row[0] for row in answers()] == ["gold"]


def test_many_items_take_few_queries(django_assert_max_num_queries: DjangoAssertNumQueries) -> None:
    project = perturbation_project()
    for number in range(30):
        perturbed_item(project, ONE._replace(prompt=f"{number}?"))
    with django_assert_max_num_queries(12):
        assert ensure(project) == 60


# --- one gold text is judged once -------------------------------------------------------------------------------------
def planned(strategy: str, **options: object) -> Run:
    project = perturbation_project()
    for category in ("calculation-errors", "final-answer-errors", "incorrect-units"):
        perturbed_item(project, ONE._replace(category=category, perturbed=f"It is {category}."))
    perturbed_item(project, ONE._replace(prompt="Another prompt?"))
    perturbed_item(project, ONE._replace(ability="factual"))
    return make_run(project, purpose="judge", options={"strategy": strategy, **options}, endpoint=make_endpoint())


@pytest.mark.parametrize(
    ("strategy", "gold"), [("vanilla-star", 2), ("vanilla", 2), ("rubric", 2), ("axis", 3), ("axis-rubric", 3)]
)
def test_a_gold_text_is_judged_once_however_many_perturbations_share_it(strategy: str, gold: int) -> None:
    """Five items, two prompts; an axis makes another prompt of it for another ability."""
    made = planned(strategy)
    found = [int(one.subject.split("/")[1]) for one in JUDGE.plan(made)]
    sorts = list(Answer.objects.filter(pk__in=found).values_list("author__sort", flat=True))
    assert (sorts.count("gold"), sorts.count("perturbed")) == (gold, 5)
    assert JUDGE.calls_expected(made) == 1


def test_what_two_gold_answers_have_in_common_is_their_key() -> None:
    made = planned("vanilla")
    list(JUDGE.plan(made))
    gold = Answer.objects.filter(author__sort="gold").select_related("item__base", "item__project").order_by("pk")
    cases = [case_of(one.item) for one in gold]
    for slug, groups in (("vanilla", [0, 0, 0, 1, 0]), ("axis", [0, 0, 0, 1, 2])):
        keys = [key_of(case, one.text, strategies()[slug]) for case, one in zip(cases, gold, strict=True) if case]
        assert [list(dict.fromkeys(keys)).index(key) for key in keys] == groups


def test_beside_a_reference_and_in_pairs_every_perturbation_counts() -> None:
    assert len(list(JUDGE.plan(planned("reference", reference="gold")))) == 5
    made = planned("pairwise")
    assert len(list(JUDGE.plan(made))) == 5
    assert JUDGE.calls_expected(made) == 2


def test_pairs_are_judged_in_both_orders_without_being_asked_to() -> None:
    made = planned("pairwise")
    jobs = [made.jobs.create(subject=one.subject, item_id=one.item_id) for one in JUDGE.plan(made)]
    for case in JUDGE.load(made, jobs, shipped("pairwise")):
        JUDGE.store(case, run(JUDGE.work(case, simulated("simulated-careful"))))
    assert Verdict.objects.filter(swapped=True).count() == Verdict.objects.filter(swapped=False).count() == 5
    assert not Verdict.objects.exclude(first__author__sort="gold").exists()
    assert JUDGE.told_options(made)["Both orders"] == "yes"


def test_a_report_takes_the_score_of_the_gold_text_that_was_judged_by_the_same_axis() -> None:
    """The first gold text was scored 10 on the axis of another ability; by its own the perturbed one is no worse."""
    made = planned("axis")
    list(JUDGE.plan(made))
    judge = Judge.objects.get()
    shared = Answer.objects.filter(author__sort="gold", text=ONE.gold).order_by("item_id")
    first, *_others, factual = [one for one in shared if one.item.facts["prompt"] == ONE.prompt]
    extra = perturbed_item(made.project, ONE._replace(ability="factual", category="number-errors"))
    ensure(made.project)
    spoiled = Answer.objects.get(item=extra, author__sort="perturbed")
    for answer, score in ((first, 10), (factual, 7), (spoiled, 7)):
        case = case_of(answer.item)
        assert case is not None
        columns = {"item": answer.item, "case_sha": case.judged.sha256, "first": answer}
        Verdict.objects.create(judge=judge, score_first=score, **columns)
    (found,) = [one for one in sightings(judge, known_of(made.project)) if one.item_id == extra.pk]
    assert (found.gold, found.score, found.noticed) == (7, 7, False)
