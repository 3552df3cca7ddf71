"""The headline of the report: pooled, with an interval whose resampling unit is named, of people who may be chosen."""

import json
from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest

from annotate.models import Project
from tests.support.files import command
from tests.support.voted import bring, by_judge, on_a_pair, preference_project

pytestmark = pytest.mark.django_db
GUIDE = Path(__file__).resolve().parents[3] / "fixtures" / "guide" / "votes.jsonl"
SIDE = {"value", "low", "high", "units", "pairs"}


@pytest.fixture
def duels() -> Project:
    project = preference_project(slug="duels")
    code, _told, err = command("import_judgements", "duels", str(GUIDE), "--format", "ratings")
    assert code == 0, err
    return project


def headline(*words: str) -> dict:  # type: ignore[type-arg]
    code, told, err = command("report", *words)
    assert code == 0, err
    found: dict = told["headline"]  # type: ignore[type-arg]
    return found


def test_the_headline_has_the_shape_that_scripts_rely_on(duels: Project) -> None:
    found = headline("duels", "agreement")
    assert {"coefficient", "level", "resampled_by", "people", "judges"} <= found.keys()
    assert (found["coefficient"], found["level"]) == ("kappa_pooled", "nominal")
    assert found["people"].keys() >= SIDE
    (judge,) = found["judges"]
    assert SIDE | {"name", "difference", "difference_low", "difference_high"} <= judge.keys()
    assert judge["difference"] == pytest.approx(judge["value"] - judge["people"]["value"])


def plain_kappa(*, by_author: bool) -> tuple[int, int, float]:
    """Of the guide's file by plain loops: pairs of votes, equal ones, chance; as the answers stood, or by author."""
    units: dict[str, list[str]] = {}
    turned = {"first": "second", "second": "first"}
    for line in GUIDE.read_text().splitlines():
        row = json.loads(line)
        if "rater" in row and row["choice"] != "cannot_tell":
            is_turned = by_author and row["first"]["author"] > row["second"]["author"]
            units.setdefault(row["key"], []).append(
                turned.get(row["choice"], row["choice"]) if is_turned else row["choice"]
            )
    pairs = [two for said in units.values() for two in combinations(said, 2)]
    said = Counter(word for two in pairs for word in two)
    chance = sum((count / (2 * len(pairs))) ** 2 for count in said.values())
    return len(pairs), sum(one == other for one, other in pairs), chance


def test_votes_that_go_to_one_model_give_a_low_kappa_and_say_so(duels: Project) -> None:
    """24 pairs of the same two models: by author nearly all votes are for model-a, as they stood they are even.

    Nothing is mixed up: as many pairs of votes are equal in either reading, only chance differs.
    """
    as_stood, by_author = plain_kappa(by_author=False), plain_kappa(by_author=True)
    assert as_stood[:2] == by_author[:2]
    assert as_stood[2] < 0.55
    assert by_author[2] > 0.7
    people = headline("duels", "agreement")["people"]
    pairs, equal, chance = by_author
    assert (people["pairs"], people["equal"], people["chance"]) == (
        pairs,
        pytest.approx(equal / pairs),
        pytest.approx(chance),
    )
    assert people["value"] == pytest.approx((equal / pairs - chance) / (1 - chance))
    assert people["remark"]


def test_people_can_be_chosen(duels: Project) -> None:
    found = headline("duels", "agreement", "--raters", "anna,bo")
    assert (found["raters"], found["chosen"], found["people"]["pairs"]) == (["anna", "bo"], True, 22)
    assert found == headline("duels", "agreement", "--raters", "!ch*") | {}
    told = command("report", "duels", "agreement", "--raters", "anna,bo")[1]
    assert told["people"]["raters"] == ["anna", "bo"]
    code, _told, err = command("report", "duels", "agreement", "--raters", "zoe")
    assert code == 1
    assert "anna, bo, chen" in err
    assert command("report", "duels", "leaderboard", "--raters", "anna")[0] == 2


def test_items_with_one_prompt_are_drawn_whole(tmp_path: Path) -> None:
    """Ten prompts with three items each; of two turns of a conversation the second goes on from the first."""
    project = preference_project()
    rows = []
    for number in range(30):
        prompt = f"Question {number % 10}"
        for who, choice in (("anna", "first"), ("bo", "first" if number % 3 else "second")):
            row = on_a_pair(f"q{number}", choice, rater=who)
            rows.append(row | {"prompt": prompt})
    bring(project, tmp_path, *rows)
    found = headline("votes", "agreement")
    assert (found["resampled_by"], found["clusters"]) == ("prompt", 10)
    later = [on_a_pair(f"t{number}", "first", rater=who) | {"prompt": f"Question {number}\n\nAnd then?"}
             for number in range(10) for who in ("anna", "bo")]  # fmt: skip
    bring(project, tmp_path, *later)
    found = headline("votes", "agreement")
    assert (found["resampled_by"], found["clusters"]) == ("conversation", 10)


def test_items_without_common_prompts_are_drawn_by_item(tmp_path: Path) -> None:
    project = preference_project()
    bring(project, tmp_path, *[row for no in range(4) for row in (on_a_pair(f"q{no}"), *by_judge(f"q{no}"),
                                                                  on_a_pair(f"q{no}", rater="bo"))])  # fmt: skip
    found = headline("votes", "agreement")
    assert (found["resampled_by"], found["clusters"]) == ("item", 4)
    assert found["people"]["value"] is None
    assert found["people"]["note"]
