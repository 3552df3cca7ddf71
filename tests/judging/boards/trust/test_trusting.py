from pathlib import Path

import pytest
from django.core.cache import caches

from annotate.models import Annotation
from judging.boards.trust.biases import NO_FAMILY
from judging.boards.trust.numbers import Trust, trust
from judging.models import Judge
from judging.ratings.leaderboards import leaderboard
from tests.support.people import make_project
from tests.support.trusted import checklists_with_votes, material_of, pairs_with_votes
from tests.support.voted import bring, on_a_pair, on_an_answer, preference_project

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def nothing_remembered() -> None:
    caches["local"].clear()


def of_pairs(folder: Path, pairs: int = 40, *, hits: float = 0.9) -> Trust:
    project = pairs_with_votes(folder, pairs, hits=hits)
    return trust(project, material_of(project, "preference"), Judge.objects.get())


def effect(found: Trust, named: str) -> float:
    (card,) = [card for card in found.cards if card.named == named]
    assert card.effect.value is not None
    return card.effect.value


def test_a_judge_as_good_as_people_passes_and_one_that_takes_the_first_place_does_not(tmp_path: Path) -> None:
    good = of_pairs(tmp_path, 80, hits=1.0)
    assert good.tests[0].result.passes
    assert effect(good, "position") == 0
    Judge.objects.all().delete()
    bad = trust_of_a_place_taker(tmp_path)
    assert bad.tests[0].result.passes is False
    assert effect(bad, "position") == 1


def trust_of_a_place_taker(folder: Path) -> Trust:
    """Whatever stands first, in both orders."""
    project = preference_project(slug="places")
    rows = []
    for number in range(40):
        key = f"p{number}"
        rows += [on_a_pair(key, "tie", rater=who) for who in ("anna", "bo", "cy")]
        rows += [
            on_a_pair(key, choice, judge="taker", swapped=swapped)
            for choice, swapped in (("first", False), ("second", True))
        ]
    bring(project, folder, *rows)
    return trust(project, material_of(project, "preference"), Judge.objects.get())


def test_the_uncorrected_means_are_those_of_the_leaderboard() -> None:
    project, judge = checklists_with_votes(kind=0.3)
    board = {each.author: each.values["overall"] for each in leaderboard(project, judge).standings}
    found = trust(project, material_of(project), judge)
    assert {row.author: row.columns["overall"].judged_only.value for row in found.corrected} == pytest.approx(board)


def test_labels_are_means_over_people_of_scores_by_the_items_rule() -> None:
    """Weights 0.6 and 0.4; of an answer of which all say the first only is met, people say 0.6."""
    project, judge = checklists_with_votes(10, labelled=10)
    draft = {"votes": ["yes", "no"], "reasons": ["", ""], "recognised": False}
    Annotation.objects.filter(rater__in=("anna", "bo", "cy")).update(draft=draft)
    found = trust(project, material_of(project), judge)
    assert [row.columns["overall"].labelled_only.value for row in found.corrected] == pytest.approx([0.6, 0.6])
    assert found.corrected[0].columns["overall"].corrected.n == 10


def test_who_leaves_a_question_out_gives_no_score() -> None:
    project, judge = checklists_with_votes(10, labelled=10)
    draft = {"votes": ["yes", "cannot_tell"], "reasons": ["", ""], "recognised": False}
    Annotation.objects.filter(rater__in=("anna", "bo", "cy")).update(draft=draft)
    found = trust(project, material_of(project), judge)
    assert [row.columns["overall"].labelled_only.n for row in found.corrected] == [0, 0]


def test_a_kind_judge_is_corrected_downwards_and_its_bias_is_above_nothing() -> None:
    project, judge = checklists_with_votes(60, labelled=40, kind=0.5)
    found = trust(project, material_of(project), judge)
    for row in found.corrected:
        overall = row.columns["overall"]
        assert overall.corrected.value is not None
        assert overall.judged_only.value is not None
        assert overall.corrected.value < overall.judged_only.value
    assert found.calibrated.bias.value is not None
    assert found.calibrated.bias.value > 0
    lenient = {card.rater: card.effect.value or 0.0 for card in found.leniency}
    assert max(lenient, key=lambda rater: lenient[rater]) == f"j{judge.pk}"


def test_own_family_needs_to_be_known(tmp_path: Path) -> None:
    project, judge = checklists_with_votes()
    assert trust(project, material_of(project), judge).family == "judge"
    project.delete()
    (card,) = [card for card in of_pairs(tmp_path).cards if card.named == "own_family"]
    assert (card.effect.value, card.effect.note) == (None, NO_FAMILY)


def test_scores_by_criteria_are_put_on_one_scale(tmp_path: Path) -> None:
    """People give 5 and 3 of 1 to 5: 1 and 0.5, together 0.75; the judge 4: 0.75."""
    project = make_project(kind_slug="score_vote", slug="scores", options={"criteria": ["Clarity", "Truth"]})
    for number in range(12):
        key = f"s{number}"
        bring(project, tmp_path, on_an_answer(key, {"Clarity": 5, "Truth": 3}))
        bring(project, tmp_path, on_an_answer(key, {"Clarity": 4, "Truth": 4}, judge="judge-m"))
    found = trust(project, material_of(project, "score"), Judge.objects.get())
    (row,) = found.corrected
    assert row.columns["overall"].labelled_only.value == pytest.approx(0.75)
    assert row.columns["overall"].judged_only.value == pytest.approx(0.75)


def test_a_new_vote_is_never_hidden_by_what_is_remembered() -> None:
    project, judge = checklists_with_votes(12, labelled=12)
    before = trust(project, material_of(project), judge).calibrated.gap.n
    Annotation.objects.filter(item__ballot__isnull=False)[0].item.delete()
    assert trust(project, material_of(project), judge).calibrated.gap.n == before - 1
