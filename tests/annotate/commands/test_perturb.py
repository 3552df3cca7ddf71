"""From prompts without gold answers to perturbations of each category, by command, against the simulated model."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.annotate.commands.test_preannotate import asked
from tests.support.installation import Installation
from tests.support.installations import Installations
from tests.support.model_server import ModelServer

pytestmark = pytest.mark.slow

SET_UP = """
from tests.support.people import make_item, make_project
from tests.support.runs import make_endpoint
Endpoint.objects.filter(name="sim").exists() or make_endpoint(
    name="sim", base_url=base_url, simulated=True, attempts=2, price_in=1, price_out=2, max_in_flight=4
)
source, target = make_project(kind_slug="prompt"), make_project(kind_slug="perturbation")
for number in range(3):
    make_item(source, facts={"prompt": f"How far is it from pier {number} to the bridge, at 80 metres a minute?"})
result = source.slug, target.slug
"""
DECIDED = """
from annotate.models import Annotation, Item
for made in Annotation.objects.filter(item__project__slug=slug).exclude(model=""):
    draft = made.draft | {"ability": "factual", "gold_verdict": "right"}
    base = Annotation.objects.create(item=made.item, rater="import", draft=draft)
    Item.objects.filter(pk=made.item_id).update(state="accepted", base=base)
result = list(Annotation.objects.filter(rater="import", item__project__slug=slug).values_list(
    "draft__edited_answer", flat=True))
"""
MADE = """
from annotate.models import Annotation
of = Annotation.objects.filter(item__project__slug=slug).exclude(model="").order_by("pk")
result = [
    {"group": one.item.group, "state": one.item.state, "gold": one.item.facts["gold_answer"],
     "said": one.draft["perturbed_answer"], "told": one.item.facts["explanation"], "simulated": one.simulated}
    for one in of.select_related("item")
]
"""


@pytest.fixture(scope="module")
def installation(installations: Installations) -> Iterator[Installation]:
    with installations.migrated("sqlite") as made:
        yield made


def test_gold_answers_then_perturbations_then_one_category_again(
    installation: Installation, model_server: ModelServer
) -> None:
    source, target = installation.python(SET_UP, base_url=model_server.base_url)
    told = asked(installation, "gold_answers", source, "--endpoint", "sim", "--wait")
    assert (told["jobs"], told["done"], told["calls"]) == (3, 3, 3)
    golds = installation.python(DECIDED, slug=source)
    assert len(golds) == 3
    assert all(golds)

    options = [
        "--option",
        f"into={target}",
        "--option",
        'categories=["number-errors", "opposite-fact", "score_invariant"]',
    ]
    told = asked(installation, "perturb", source, "--endpoint", "sim", "--wait", *options)
    assert (told["jobs"], told["done"], told["failed"], told["calls"]) == (9, 9, 0, 9)
    made: list[dict[str, Any]] = installation.python(MADE, slug=target)
    assert sorted(one["group"] for one in made) == sorted(["number-errors", "opposite-fact", "score_invariant"] * 3)
    assert all(one["said"] != one["gold"] and one["gold"] in golds and one["told"] for one in made)
    assert all(one["simulated"] and one["state"] == "ready" for one in made)

    repeated = installation.manage("perturb", source, "--endpoint", "sim", "--wait", *options, "--json", check=False)
    assert (repeated.returncode, json.loads(repeated.stdout)["jobs"]) == (1, 0)
    assert "Nothing to do." in repeated.stderr
    again = ["--option", f"into={target}", "--option", 'categories=["opposite-fact"]', "--option", "again=true"]
    assert asked(installation, "perturb", source, "--endpoint", "sim", "--wait", *again)["done"] == 3
    after: list[dict[str, Any]] = installation.python(MADE, slug=target)
    assert len(after) == 12
    assert [one["state"] for one in after if one["group"] == "opposite-fact"] == ["dropped"] * 3 + ["ready"] * 3


def test_a_project_that_is_not_there_is_named(installation: Installation, model_server: ModelServer) -> None:
    source, _target = installation.python(SET_UP, base_url=model_server.base_url)
    done = installation.manage(
        "perturb", source, "--endpoint", "sim", "--option", "into=nowhere", "--json", check=False
    )
    assert done.returncode == 1
    assert "nowhere" in done.stderr
