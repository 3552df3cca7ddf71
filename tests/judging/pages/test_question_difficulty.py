"""Difficulty of own questions and items: distances by hand, the page, its files, the report, and what opens."""

from pathlib import Path

import pytest

from annotate.models import Item, Project
from judging.boards.difficulty.question_difficulty import QUESTIONS
from tests.judging.pages.test_question_agreement import judged, project, rating  # noqa: F401  # project: a fixture
from tests.support.desks import colleague
from tests.support.files import command, write_rows
from tests.support.pages import html_of
from tests.support.people import make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def disputed(project: Project, tmp_path: Path) -> Project:  # noqa: F811
    """Cy rates the first 12 items: `good` two steps away in each, `safe` otherwise in the first three."""
    rows = [{"key": f"k{n}", "rater": "Cy", **rating(n), **otherwise(n)} for n in range(12)]
    command("import_ratings", "own", write_rows(tmp_path / "more.jsonl", rows))
    judged(project, "equal")
    return project


def otherwise(n: int) -> dict[str, object]:
    good, safe = rating(n)["good"], rating(n)["safe"]
    return {"good": good + 2 if good <= 3 else good - 2, "safe": {"yes": "no", "no": "yes"}[safe] if n < 3 else safe}


def test_distances_are_means_over_items_of_every_two_people(disputed: Project) -> None:
    code, told, err = command("report", "own", "difficulty")
    assert code == 0, err
    rows = {row["question"]: row for row in told["rows"]}
    # 12 of 35 items have Cy: of three pairs of people two are 2 of 4 steps apart, so 1/3 on average; else 0.
    good = rows["good"]["disagreement"]
    assert (good["value"], good["n"]) == (pytest.approx(12 / 35 / 3), 35)
    assert good["low"] < good["value"] < good["high"]
    assert rows["safe"]["disagreement"]["value"] == pytest.approx(3 / 35 * 2 / 3)
    assert [rows[name]["disagreement"]["value"] for name in ("topics", "order")] == [0, 0]
    assert [row["question"] for row in told["rows"]][:2] == ["good", "safe"]
    # The judge says what Ann and Bo say: of three people one is away.
    assert rows["good"]["judges"]["equal"]["value"] == pytest.approx(12 / 35 * (1 / 2) / 3)
    assert rows["safe"]["judges"]["equal"]["value"] == pytest.approx(3 / 35 / 3)
    hardest = told["items"][0]
    assert (hardest["key"], hardest["questions"]) == ("k0", 4)
    assert hardest["disagreement"] == pytest.approx((1 / 3 + 2 / 3) / 4)
    assert hardest["judges"]["equal"] == pytest.approx((1 / 6 + 1 / 3) / 4)
    assert told["left_out"] == {"one rater": 4}  # one item, each question


def test_every_number_opens_its_items(disputed: Project) -> None:
    lead = colleague(disputed, "lead").client
    html = html_of(lead, "/p/own/difficulty/")
    for text in ("How good is it?", "Questions, the hardest first", "Items, the hardest first", "equal from people"):
        assert text in html
    item = Item.objects.get(key="k0")
    assert f"/p/own/agreement/items/{item.pk}/" in html
    for key, count in (("good", 35), ("good%2Fequal", 35), ("", 35)):
        opened = " ".join(html_of(lead, f"/p/own/difficulty/units/?of={key}").split())
        assert f"{count} items" in opened
    assert lead.get("/p/own/difficulty/units/?of=nothing").status_code == 404
    csv = lead.get("/p/own/difficulty/difficulty.csv").content.decode()
    assert '"good","rating","equal"' in csv
    assert lead.get("/p/own/difficulty/difficulty.json").json()["n"] == 35
    assert "hardest first" in html_of(lead, "/p/own/difficulty/one-page/")


def test_without_two_people_there_is_nothing_and_no_error(disputed: Project) -> None:
    Item.objects.exclude(key="k35").delete()
    lead = colleague(disputed, "lead").client
    assert lead.get("/p/own/difficulty/").status_code == 200
    assert command("report", "own", "difficulty")[0] == 1


def test_the_filter_is_not_for_own_questions_and_the_board_not_for_others(disputed: Project) -> None:
    lead = colleague(disputed, "lead").client
    assert lead.post("/p/own/difficulty/apply/").status_code == 404
    assert lead.post("/p/own/difficulty/restore/").status_code == 404
    assert colleague(disputed, "annotator").client.get("/p/own/difficulty/").status_code == 403
    other = make_project(slug="fb")
    assert not QUESTIONS.suits(other)
    assert colleague(other, "lead").client.get("/p/fb/difficulty/units/").status_code == 404
