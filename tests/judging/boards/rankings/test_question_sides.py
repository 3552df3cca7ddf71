"""Rankings of the models that hidden columns name, by the answers of people and judges to an own question."""

import random
from functools import partial
from pathlib import Path
from typing import Any

import choix
import numpy as np
import pytest
from django.core.cache import caches

from annotate.kinds.questions.model_names import name_columns
from annotate.models import Annotation, Item, Project
from annotate.project.actions import create_project
from tests.support.desks import colleague
from tests.support.files import command, imported, write_rows
from tests.support.pages import html_of

pytestmark = pytest.mark.django_db
MODELS = ["alpha", "beta", "gamma"]
DEFINITION = """show: [{field: prompt}, {field: response_a}, {field: response_b}]
questions:
  - {name: better, type: pair, of: [response_a, response_b]}
  - {name: stronger, type: pair, of: [response_b, response_a], scale: strength, required: false}
"""


@pytest.fixture(autouse=True)
def nothing_remembered() -> None:
    caches["local"].clear()


@pytest.fixture
def fights(tmp_path: Path) -> list[tuple[int, int]]:
    """(winner, loser) of 90 votes by two raters on 45 items; `beta` is usually the best."""
    create_project(slug="own", kind="form", definition=DEFINITION)
    draw, items, rows, fights = random.Random(7), [], [], []
    for n in range(45):
        first, second = draw.sample(range(3), 2)
        items.append(
            {"key": f"k{n}", "prompt": f"Number {n}", "response_a": "x", "response_b": "y"}
            | {"model_a": MODELS[first], "model_b": MODELS[second], "topic_a": "1", "topic_b": "2"}
        )
        for rater in ("Ann", "Bo"):
            better = first if draw.random() < (0.8 if first == 1 else 0.3 if second == 1 else 0.5) else second
            fights.append((better, second if better == first else first))
            answer = {"better": "first" if better == first else "second"}
            strength = {"stronger": "second_much" if better == first else "first"}
            rows.append({"key": f"k{n}", "rater": rater, **answer, **strength})
    project = Project.objects.get(slug="own")
    assert imported(project, write_rows(tmp_path / "i.jsonl", items), "--no-checks")["kept"] == 45
    assert command("import_ratings", "own", write_rows(tmp_path / "r.jsonl", rows))[1]["ratings"] == 90
    return fights


def ranking(*words: str) -> dict[str, Any]:
    code, told, err = command("report", "own", "ranking", *words)
    assert code == 0, err
    return told


def test_strengths_are_those_of_the_library(fights: list[tuple[int, int]]) -> None:
    told = ranking()
    assert (told["raters"], told["battles"]) == ("people", 90)
    oracle = np.exp(choix.ilsr_pairwise(3, fights))
    shares = dict(zip(MODELS, oracle / oracle.sum(), strict=True))
    found = {row["name"]: row["strength"] for row in told["models"]}
    whole = sum(found.values())
    assert {name: strength / whole for name, strength in found.items()} == pytest.approx(shares, abs=1e-4)


def test_an_answer_with_strength_and_the_other_order_of_texts_gives_the_same_ranking(
    fights: list[tuple[int, int]],
) -> None:
    plain, strong = ranking("--what", "better"), ranking("--what", "stronger")
    assert [(row["name"], row["strength"]) for row in strong["models"]] == [
        (row["name"], pytest.approx(row["strength"])) for row in plain["models"]
    ]


def test_what_names_no_two_models_is_counted(fights: list[tuple[int, int]]) -> None:
    item = Item.objects.filter(project__slug="own").order_by("pk")[0]
    item.metadata = {**item.metadata, "model_a": ""}
    item.save()
    told = ranking()
    assert (told["battles"], told["skipped"]) == (88, {"items that name no two models": 2})


def test_names_of_models_can_be_added_to_items_that_people_have_judged(tmp_path: Path) -> None:
    project = create_project(slug="own", kind="form", definition=DEFINITION)
    rows = [{"key": f"k{n}", "prompt": f"Why {n}?", "response_a": "x", "response_b": "y", "kept": "k"} for n in (1, 2)]
    given = [{"key": row["key"], "rater": "Ann", "better": "first"} for row in rows]
    imported(project, write_rows(tmp_path / "i.jsonl", rows), "--no-checks")
    assert command("import_ratings", "own", write_rows(tmp_path / "r.jsonl", given))[1]["ratings"] == 2
    assert "2 judgements are about pairs" in command("report", "own", "ranking")[2]
    before = dict(project.items.values_list("key", "content_hash"))
    named = [row | {"model_a": "alpha", "model_b": "beta"} for row in rows]
    again = partial(imported, project, write_rows(tmp_path / "n.jsonl", named), "--no-checks", "--duplicates", "update")
    assert again()["kept"] == 2
    assert [row["name"] for row in ranking()["models"]] == ["alpha", "beta"]
    item = project.items.earliest("pk")
    assert (item.metadata, item.round) == ({"kept": "k", "model_a": "alpha", "model_b": "beta"}, 1)
    assert dict(project.items.values_list("key", "content_hash")) == before
    assert (again()["duplicates"], again()["kept"]) == (2, 0)


def test_only_leads_see_the_names_of_models(fights: list[tuple[int, int]]) -> None:
    project = Project.objects.get(slug="own")
    lead = colleague(project, "lead").client
    for address in ("", "?about=stronger", "battles/", "compare/"):
        assert "beta" in html_of(lead, f"/p/own/ranking/{address}")
    assert '<option value="stronger" selected>' in html_of(lead, "/p/own/ranking/?about=stronger")
    for role in ("viewer", "reviewer"):
        client = colleague(project, role).client
        for address in ("", "battles/", "compare/"):
            assert client.get(f"/p/own/ranking/{address}").status_code == 404
        assert "/p/own/ranking/" not in html_of(client, "/p/own/results/")


def test_without_columns_that_name_models_there_is_nothing_to_rank(fights: list[tuple[int, int]]) -> None:
    Item.objects.filter(project__slug="own").update(metadata=None)
    code, _told, err = command("report", "own", "ranking")
    assert (code, "such as model_a for response_a" in err) == (1, True)
    lead = colleague(Project.objects.get(slug="own"), "lead").client
    page = " ".join(html_of(lead, "/p/own/ranking/").split())
    assert "90 judgements are about pairs whose models have no names" in page
    assert 'href="/p/own/import/">Import a file</a>' in page
    Annotation.objects.all().delete()
    assert "such as model_a and model_b" in " ".join(html_of(lead, "/p/own/ranking/").split())
    code, _told, err = command("report", "own", "ranking", "--what", "prompt")
    assert (code, "there are: better, stronger" in err) == (1, True)


@pytest.mark.parametrize(
    ("of", "columns", "names"),
    [
        (["a", "b"], ["model_a", "model_b"], ("model_a", "model_b")),
        (["answer1", "answer2"], ["system 2", "system 1"], ("system 1", "system 2")),
        (["left", "right"], ["left", "model-right", "model-left"], ("model-left", "model-right")),
        (["a", "b"], ["rank_a", "rank_b", "model_b", "model_a"], ("model_a", "model_b")),
        (["a", "b"], ["rank_a", "rank_b", "id_a", "id_b"], ("id_a", "id_b")),
        (["a", "b"], ["model_a", "c"], None),
        (["a", "b"], [], None),
    ],
)
def test_columns_differ_as_the_compared_ones_do(
    of: list[str], columns: list[str], names: tuple[str, str] | None
) -> None:
    assert name_columns(of, columns) == names
