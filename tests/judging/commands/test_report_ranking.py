from pathlib import Path

import pytest

from annotate.models import Project
from tests.support.files import command
from tests.support.people import make_member
from tests.support.studies import AUTHORS, answered_project, drawn, prefers, vote
from tests.support.voted import bring, by_judge, on_a_pair, preference_project

pytestmark = pytest.mark.django_db
LONG = {"author": "model-a", "text": "- " + "a longer answer with a list\n" * 5}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """model-a won 3 of 5 decided, one tie, one both bad, one cannot tell; a judge said something else."""
    made = preference_project()
    votes = ["first", "first", "second", "first", "second", "tie", "both_bad", "cannot_tell"]
    rows = [on_a_pair(f"q{n}", choice, group="even" if n % 2 == 0 else "odd") for n, choice in enumerate(votes)]
    bring(made, tmp_path, *rows)
    # The first in both orders, the second in both, always what stood first, and something that could not be read.
    said = [("first", "first"), ("second", "second"), ("first", "second"), (None, None)]
    bring(made, tmp_path, *(row for n, (one, other) in enumerate(said) for row in by_judge(f"q{n}", one, other)))
    return made


def test_people_are_ranked_by_their_votes(project: Project) -> None:
    code, told, _err = command("report", "votes", "ranking")
    assert code == 0
    assert told["raters"] == "people"
    assert told["skipped"] == {"cannot tell": 1}
    strengths = {row["name"]: row["strength"] for row in told["models"]}
    assert strengths == pytest.approx({"model-a": 4 / 7, "model-b": 3 / 7})  # both bad is a tie, and a tie is a half
    assert (told["models"][0]["wins"], told["models"][0]["ties"], told["battles"]) == (3, 2, 7)
    assert told["win_rates"]["rates"][0][1] == pytest.approx(4 / 7)


def test_judges_stand_beside_people_with_a_battle_a_pair(project: Project) -> None:
    """A judge that stays with the place and not with the answer makes a tie, and shows in the position."""
    (judge,) = command("report", "votes", "ranking")[1]["others"]
    assert (judge["raters"], judge["battles"], judge["skipped"]) == ("judge-m", 3, {"unreadable": 2})
    assert [(row["wins"], row["ties"]) for row in judge["models"]] == [(1, 1), (1, 1)]
    assert (judge["position"]["first"]["value"], judge["position"]["first"]["n"]) == (1.0, 1)
    assert judge["people"]["kendall"]["n"] == 2


def test_each_group_has_its_own_ranking(project: Project) -> None:
    told = command("report", "votes", "ranking", "--by", "group")[1]
    groups = {(one["group"], one["raters"]): one["battles"] for one in told["groups"]}
    assert groups == {("even", "people"): 4, ("odd", "people"): 3, ("even", "judge-m"): 2, ("odd", "judge-m"): 1}


def test_one_judge_alone(project: Project) -> None:
    told = command("report", "votes", "ranking", "--judge", "judge-m")[1]
    assert (told["raters"], told["others"], told["people"]) == ("judge-m", [], None)


def test_length_and_formatting_are_held_constant_where_texts_differ(tmp_path: Path) -> None:
    made = preference_project()
    rows = [on_a_pair(f"q{n}", "first" if n % 3 else "second", first=LONG) for n in range(12)]
    turned = {"first": {"author": "model-a", "text": "Two."}, "second": {"author": "model-b", "text": "- three\n" * 9}}
    bring(made, tmp_path, *rows, *(on_a_pair(f"r{n}", "second" if n % 4 else "first", **turned) for n in range(12)))
    styled = command("report", "votes", "ranking")[1]["style_controlled"]
    assert set(styled["weights"]) == {"length", "formatting"}
    assert sum(row["strength"] for row in styled["models"]) == pytest.approx(1)


def test_without_preferences_it_refuses(tmp_path: Path) -> None:
    preference_project()
    code, _told, err = command("report", "votes", "ranking")
    assert code == 1
    assert "There are no battles in this project" in err


def test_battles_become_votes_and_verdicts(tmp_path: Path) -> None:
    made = preference_project()
    battle = {"left": "a", "right": "b"}
    rows = [
        battle | {"winner": "left"},
        battle | {"winner": "right", "rater": "anna", "key": "moons", "prompt": "How many?", "left_text": "Two."},
        battle | {"winner": "tie", "judge": "judge-m", "key": "moons", "prompt": "How many?", "left_text": "Two."},
        battle | {"winner": "both"},
        {"left": "a", "right": "a", "winner": "tie"},
    ]
    report = bring(made, tmp_path, *rows, format="battles")
    assert (report.read, report.kept, report.rejected) == (5, 3, 2)
    assert [problem["path"] for problem in report.problems] == ["winner", "right"]
    told = command("report", "votes", "ranking")[1]
    assert (told["battles"], told["others"][0]["battles"]) == (2, 1)
    assert sorted(made.items.values_list("key", flat=True)) == ["battle-000001", "moons"]


def test_a_group_has_all_that_the_whole_has(project: Project) -> None:
    told = command("report", "votes", "ranking", "--by", "group")[1]
    even = next(one for one in told["groups"] if (one["group"], one["raters"]) == ("even", "people"))
    # Of q0, q2, q4 and q6: first, second, second, both bad.
    assert even["position"]["first"]["n"] == 3
    assert even["win_rates"]["rates"][even["win_rates"]["models"].index("model-a")].count(1.5 / 4) == 1
    judge = next(one for one in told["groups"] if (one["group"], one["raters"]) == ("even", "judge-m"))
    assert {"people", "style_controlled", "votes_needed", "skipped"} <= judge.keys()


def test_ties_may_be_an_outcome_of_their_own(project: Project) -> None:
    plain, davidson = (command("report", "votes", "ranking", *more)[1] for more in ((), ("--davidson",)))
    assert "tendency_to_tie" not in plain
    # Two ties to five decided, of two authors of nearly equal strength: nu is about 2 · 2 / 5.
    assert davidson["tendency_to_tie"] == pytest.approx(0.8, abs=0.05)


def test_any_leaderboard_may_stand_beside(project: Project, tmp_path: Path) -> None:
    other = tmp_path / "other.csv"
    other.write_text("name,score\nmodel-a,3\nmodel-b,9\nmodel-z,1\n")
    told = command("report", "votes", "ranking", "--beside", other)[1]
    assert (told["beside"]["kendall"]["value"], told["beside"]["only_there"]) == (-1.0, ["model-z"])
    assert (told["beside"]["pearson"]["value"], told["beside"]["pearson"]["n"]) == (pytest.approx(-1.0), 2)
    assert told["others"][0]["beside"]["kendall"]["n"] == 2
    other.write_text("nothing,here\n1,2\n")
    code, _told, err = command("report", "votes", "ranking", "--beside", other)
    assert (code, "A row of a leaderboard needs" in err) == (1, True)


@pytest.mark.parametrize("words", [("--davidson",), ("--beside", "x.csv")])
def test_other_reports_take_no_words_of_rankings(project: Project, words: tuple[str, ...]) -> None:
    assert command("report", "votes", "consistency", *words)[0] == 2


def test_votes_of_who_recognised_a_model_are_counted_and_the_ranking_is_made_without_them_too() -> None:
    """Three votes for Opal, three for Jasper; the one who knows a model is the third for Opal."""
    source = answered_project(items=6, slug="known")
    study = drawn(source, overlap=1, authors=AUTHORS[:2], items=6)
    ann = make_member(study.project)
    for place in range(6):
        vote(ann, prefers("first" if place < 3 else "second", recognised=place == 0))
    _code, report, _err = command("report", "known", "ranking")
    assert report["recognised"]["votes"] == 1
    assert (report["battles"], report["recognised"]["without"]["battles"]) == (6, 5)
