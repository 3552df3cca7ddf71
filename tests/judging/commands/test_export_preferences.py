import json
from pathlib import Path

import pytest

from tests.support.files import command
from tests.support.training import accepted_tree, judged_tree, tree_project
from tests.support.trees import PAIR
from tests.support.voted import bring, on_a_pair, preference_project

pytestmark = pytest.mark.django_db


def test_pairs_say_what_most_people_preferred_and_by_how_much(tmp_path: Path) -> None:
    made = preference_project()
    said = {"q1": ["first", "first", "tie", "cannot_tell"], "q2": ["first", "second"], "q3": ["second"]}
    rows = [
        on_a_pair(key, choice, rater=f"r{place}") for key, votes in said.items() for place, choice in enumerate(votes)
    ]
    bring(made, tmp_path, *rows)
    out = tmp_path / "pairs.jsonl"
    code, told, _err = command("export_preferences", "votes", "--out", out)
    assert (code, told["pairs"]) == (0, 2)
    assert told["left_out"] == {"cannot tell": 1, "no majority": 1}
    one, other = map(json.loads, out.read_text().splitlines())
    # Two of three votes for the first, none for the second: 2/3.
    assert one == {
        "prompt": "How many moons has planet q1?",
        "chosen": "Planet q1 has two.",
        "rejected": "Planet q1 has three.",
        "margin": pytest.approx(2 / 3),
        "votes": 3,
    }
    assert (other["chosen"], other["margin"], other["votes"]) == ("Planet q3 has three.", 1.0, 1)
    assert command("export_preferences", "votes", "--out", out, "--least", "2")[1]["left_out"]["too few votes"] == 1


def test_without_a_majority_nothing_is_written(tmp_path: Path) -> None:
    bring(preference_project(), tmp_path, on_a_pair("q1", "tie"))
    out = tmp_path / "pairs.jsonl"
    code, _told, err = command("export_preferences", "votes", "--out", out)
    assert (code, out.exists()) == (1, False)
    assert "1 no majority" in err


def test_labels_of_items_that_nobody_voted_on_are_preferences_too(tmp_path: Path) -> None:
    project = tree_project()
    judged_tree(accepted_tree(project, "a"))
    assert command("export_preferences", project.slug, "--out", tmp_path / "pairs.jsonl")[1]["pairs"] == 1
    (row,) = map(json.loads, (tmp_path / "pairs.jsonl").read_text().splitlines())
    assert (row["prompt"], row["chosen"], row["votes"]) == (PAIR["query"], PAIR["second"], 1)
    assert command("export_battles", project.slug, "--out", tmp_path / "battles.jsonl")[1]["battles"] == 2
    battles = [json.loads(line) for line in (tmp_path / "battles.jsonl").read_text().splitlines()]
    assert {one["prompt"] for one in battles} == {PAIR["query"]}
