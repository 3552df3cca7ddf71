"""`judge` against the simulated model: from answers to verdicts, taken up, killed and read again."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.installation import Installation
from tests.support.installations import Installations
from tests.support.model_server import ModelServer

pytestmark = pytest.mark.slow

KEYS = ["run", "jobs", "done", "failed", "causes", "calls", "cost", "paused_for", "ok", "unparsed"]
SET_UP = """
from tests.support.judged import CORRECTION, MAINTENANCE, answer_of, decided_item
from tests.support.people import make_project
from tests.support.runs import make_endpoint
for model in ("simulated-strong", "simulated-weak", "simulated-judge"):
    Endpoint.objects.filter(name=model).exists() or make_endpoint(
        name=model, model=model, base_url=base_url, simulated=True, attempts=2, max_in_flight=4
    )
project = make_project()
for number in range(8):
    feedback = f"You forgot step {number} of all. Please show the sum as well. Name the two moons of Mars."
    item = decided_item(project, CORRECTION if number % 2 else MAINTENANCE, feedback=feedback)
    if number == 0:
        answer_of(item, "unpublished", text="", known=False)
result = project.slug
"""
SAID = """
from django.db.models import Avg, Count
from judging.models import Verdict
found = Verdict.objects.filter(judge__project__slug=slug).values("first__author__name", "reading").order_by("first__author__name")
result = [list(row) for row in found.annotate(n=Count("pk"), m=Avg("score_first")).values_list("first__author__name", "reading", "n", "m")]
"""  # noqa: E501
ANSWERED = """
from tests.support.judged import answer_of
for item in Item.objects.filter(project__slug=slug).order_by("pk")[:count]:
    answer_of(item, "A", text="It names two moons.")
result = 1
"""


@pytest.fixture(scope="module")
def installation(installations: Installations) -> Iterator[Installation]:
    with installations.migrated("sqlite") as made:
        yield made


@pytest.fixture
def slug(installation: Installation, model_server: ModelServer) -> str:
    """A project of its own with eight decided items."""
    return str(installation.python(SET_UP, base_url=model_server.base_url))


def asked(installation: Installation, *arguments: str) -> dict[str, Any]:
    """What the command prints with --json: one object and nothing else."""
    done = installation.manage(*arguments, "--json", check=False)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def judged(installation: Installation, slug: str, *more: str) -> dict[str, Any]:
    return asked(
        installation, "judge", slug, "--strategy", "checklist", "--endpoint", "simulated-judge", "--wait", *more
    )


def test_authors_rank_as_their_skill(installation: Installation, slug: str) -> None:
    for author in ("strong", "weak"):
        asked(installation, "answer", slug, "--endpoint", f"simulated-{author}", "--author", author, "--wait")
    told = judged(installation, slug)
    assert list(told) == KEYS
    assert (told["jobs"], told["done"], told["ok"], told["unparsed"], told["calls"]) == (16, 16, 16, 0, 16)
    (strong, *rest), weak = installation.python(SAID, slug=slug)
    assert (strong, rest[:2], weak[:3]) == ("strong", ["ok", 8], ["weak", "ok", 8])
    assert rest[2] > weak[3]


def test_what_cannot_be_read_is_asked_again_then_put_into_shape_then_counted(
    installation: Installation, slug: str, model_server: ModelServer
) -> None:
    installation.python(ANSWERED, slug=slug, count=2)
    model_server.misbehave("prose", times=None)
    told = judged(installation, slug)
    assert (told["done"], told["failed"], told["ok"], told["unparsed"]) == (2, 0, 0, 2)
    assert told["calls"] == 2 * (2 + 2)  # two attempts at the verdicts, two at the repair
    model_server.reset()
    model_server.misbehave("prose", times=1)
    told = judged(installation, slug, "--limit", "1")
    assert (told["ok"], told["unparsed"], told["calls"]) == (1, 0, 2)


def test_failed_calls_are_taken_up_again_and_repeats_are_verdicts(
    installation: Installation, slug: str, model_server: ModelServer
) -> None:
    installation.python(ANSWERED, slug=slug, count=4)
    model_server.misbehave("filters", times=1)
    told = judged(installation, slug, "--repeats", "2", "--authors", "A")
    assert (told["jobs"], told["done"], told["causes"], told["ok"]) == (4, 3, {"filtered": 1}, 6)
    again = asked(installation, "judge", slug, "--run", str(told["run"]), "--retry-failed", "--wait")
    assert (again["done"], again["failed"], again["ok"]) == (4, 0, 8)
    assert again["calls"] in (9, 10)  # what the failed job had been answered is not asked again


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["--endpoint", "simulated-judge"], 2, "Give --strategy"),
        (["--strategy", "mood", "--endpoint", "simulated-judge"], 1, ", checklist, "),
        (["--strategy", "checklist", "--endpoint", "simulated-judge", "--pairs", "all"], 1, "one answer at a time"),
        (["--strategy", "checklist", "--endpoint", "simulated-judge", "--authors", "x"], 1, "no author “x”"),
        (["--strategy", "checklist", "--endpoint", "simulated-judge", "--option", "mood=1"], 2, "unknown option"),
        (
            ["--strategy", "branching", "--endpoint", "simulated-judge", "--option", "branches=11"],
            2,
            "--option branches:",
        ),
        (["--strategy", "checklist", "--endpoint", "simulated-judge", "--repeats", "99"], 2, "--repeats"),
    ],
)
def test_what_does_not_go_is_said_and_nothing_is_planned(
    installation: Installation, slug: str, arguments: list[str], code: int, told: str
) -> None:
    done = installation.manage("judge", slug, *arguments, "--json", check=False)
    assert (done.returncode, done.stdout) == (code, "")
    assert told in done.stderr
    assert installation.python("result = Run.objects.filter(project__slug=slug).count()", slug=slug) == 0


PERTURBED = """
from tests.support.perturbations import perturbation_project, perturbed_item, spoiled_pairs
from tests.support.runs import make_endpoint
Endpoint.objects.filter(name="simulated-careful").exists() or make_endpoint(
    name="simulated-careful", model="simulated-careful", base_url=base_url, simulated=True
)
project = perturbation_project()
result = [project.slug, *[perturbed_item(project, one).key for one in list(spoiled_pairs(1))[:3]]]
"""
CHOSEN = """
from judging.models import Verdict
found = Verdict.objects.filter(judge__project__slug=slug).order_by("item", "swapped")
names = ("item__key", "first__author__name", "second__author__name", "swapped", "choice")
result = list(map(list, found.values_list(*names)))
"""


def test_pairs_come_from_a_file_and_both_orders_by_themselves(
    installation: Installation, model_server: ModelServer, tmp_path: Path
) -> None:
    slug, *keys = installation.python(PERTURBED, base_url=model_server.base_url)
    rows = [{"key": key, "first": "perturbed", "second": "gold"} for key in keys[:2]]
    (tmp_path / "pairs.jsonl").write_text("\n".join(map(json.dumps, rows)))
    common = ["judge", slug, "--strategy", "pairwise", "--endpoint", "simulated-careful", "--wait"]
    told = asked(installation, *common, "--pairs", str(tmp_path / "pairs.jsonl"))
    assert (told["jobs"], told["calls"], told["ok"]) == (2, 4, 4)
    assert installation.python(CHOSEN, slug=slug) == [
        [key, "gold", "perturbed", swapped, "first"]
        for key in sorted(keys[:2], key=keys.index)
        for swapped in (False, True)
    ]
    assert asked(installation, *common, "--pairs", "gold-perturbed", "--both-orders")["calls"] == 6
    beside = ["judge", slug, "--strategy", "reference", "--endpoint", "simulated-careful", "--wait"]
    assert asked(installation, *beside)["ok"] == 3  # without --reference: beside the gold answer
    for pairs, code, said in (("nowhere.jsonl", 2, "or a readable file"), (str(tmp_path), 2, "or a readable file")):
        done = installation.manage(*common, "--pairs", pairs, check=False)
        assert (done.returncode, said in done.stderr) == (code, True), done.stderr
    rows[1]["key"] = "nowhere"
    (tmp_path / "pairs.jsonl").write_text("\n".join(map(json.dumps, rows)))
    done = installation.manage(*common, "--pairs", str(tmp_path / "pairs.jsonl"), check=False)
    assert (done.returncode, "Line 2: there is no item “nowhere”" in done.stderr) == (1, True)
