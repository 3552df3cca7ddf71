"""Public pairs with people's labels: judged as they were imported, and the judge's agreement with people shown."""

import gzip
import json
import os
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse

from annotate.models import Item, Project, Run
from judging.models import Verdict
from judging.strategies.strategy import strategies
from tests.judging.formats.test_votes import MTBENCH
from tests.support.desks import colleague
from tests.support.files import command, write_rows
from tests.support.model_server import ModelServer
from tests.support.people import make_project
from tests.support.runs import make_endpoint
from tests.support.voted import on_a_pair, on_an_answer

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
PAIRS = 20

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(
        not (DATA / "pandalm_testset.jsonl.gz").exists() and not os.environ.get("CI"),
        reason=f"needs the published data in {DATA}",
    ),
]


def first_rows(name: str) -> list[Any]:
    with gzip.open(DATA / name, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in islice(file, PAIRS)]


def project_with(kind: str, folder: Path, rows: Sequence[Any], format: str) -> Project:  # noqa: A002
    project = make_project(slug="lab", kind_slug=kind)
    path = write_rows(folder / "rows.jsonl", rows)
    code, told, err = command("import_judgements", "lab", path, "--format", format)
    assert (code, told["rejected"]) == (0, 0), err
    return project


def judged(model_server: ModelServer, *arguments: str) -> dict[str, Any]:
    make_endpoint(name="judge", model="simulated-judge", base_url=model_server.base_url, simulated=True)
    code, told, err = command("judge", "lab", "--endpoint", "judge", "--wait", *arguments)
    assert code == 0, err
    return dict(told)


@pytest.mark.parametrize("kind", ["preference", "branching"])
@pytest.mark.parametrize(
    ("format", "file"), [("pandalm", "pandalm_testset.jsonl.gz"), ("autoj", "autoj_pairwise.jsonl.gz")]
)
def test_published_pairs_are_judged_in_both_orders_as_they_were_imported(
    kind: str,
    format: str,  # noqa: A002
    file: str,
    tmp_path: Path,
    model_server: ModelServer,
) -> None:
    project = project_with(kind, tmp_path, first_rows(file), format)
    told = judged(model_server, "--strategy", "pairwise", "--both-orders")
    assert (told["jobs"], told["done"], told["failed"]) == (PAIRS, PAIRS, 0)
    assert told["ok"] + told["unparsed"] == 2 * PAIRS
    own = Verdict.objects.filter(job__isnull=False)
    assert own.filter(swapped=True).count() == PAIRS
    assert set(own.values_list("item__project", flat=True)) == {project.pk}
    _code, agreement, _err = command("report", "lab", "agreement")
    beside = {row["judge"]: row["n"] for row in agreement["judges"]}
    # Units with a majority of people and a readable verdict in both orders of one's own judge.
    assert 0 < beside["simulated-judge"] <= PAIRS
    if kind == "branching":
        assert not Item.objects.filter(project=project, state="accepted").exists()


def test_every_way_of_asking_about_a_pair_has_jobs_for_published_pairs(
    tmp_path: Path, model_server: ModelServer
) -> None:
    project = project_with("preference", tmp_path, first_rows("pandalm_testset.jsonl.gz")[:3], "pandalm")
    make_endpoint(name="judge", model="simulated-judge", base_url=model_server.base_url, simulated=True)
    ways = [slug for slug, one in strategies().items() if one.pairwise and not one.needs_reference]
    for slug in ways:
        code, told, err = command(
            "judge", "lab", "--strategy", slug, "--endpoint", "judge", "--both-orders", "--wait", *OPTIONS.get(slug, ())
        )
        assert (code, told["jobs"], told["failed"]) == (0, 3, 0), (slug, told, err)
    assert project.judges.filter(simulated=True).count() == len(ways)


OPTIONS = {"branching": ("--option", "branches=2")}


def test_scored_answers_are_judged_beside_people(tmp_path: Path, model_server: ModelServer) -> None:
    rows = [
        on_an_answer(f"q{place}", {"Overall": place % 5 + 1}, rater=rater)
        for place in range(6)
        for rater in ("anna", "ben")
    ]
    make_project(slug="lab", kind_slug="score_vote")
    Project.objects.update(options={"criteria": ["Overall"]})
    code, _told, err = command(
        "import_judgements", "lab", write_rows(tmp_path / "r.jsonl", rows), "--format", "ratings"
    )
    assert code == 0, err
    told = judged(model_server, "--strategy", "vanilla")
    assert (told["jobs"], told["ok"]) == (6, 6)
    _code, agreement, _err = command("report", "lab", "agreement")
    assert ["anna", "simulated-judge"] in [row["raters"] for row in agreement["rows"] if row["units"] == 6]


def test_a_reference_that_somebody_imports_is_shown_beside_the_pair(tmp_path: Path, model_server: ModelServer) -> None:
    rows = [on_a_pair("q1"), on_a_pair("q2")]
    project_with("preference", tmp_path, rows, "ratings")
    given = [{"key": "q1", "author": "truth", "text": "Planet q1 has two moons.", "sort": "reference"}]
    code, _told, err = command("import_answers", "lab", write_rows(tmp_path / "answers.jsonl", given))
    assert code == 0, err
    told = judged(model_server, "--strategy", "reference", "--reference", "truth")
    assert (told["jobs"], told["ok"]) == (2, 2)  # both answers to the item that has the reference
    references = Verdict.objects.filter(job__isnull=False).values_list("reference__author__name", flat=True)
    assert set(references) == {"truth"}


def test_votes_of_mt_bench_with_texts_are_judged(tmp_path: Path, model_server: ModelServer) -> None:
    project_with("preference", tmp_path, [MTBENCH, MTBENCH | {"turn": 2}], "mtbench")
    told = judged(model_server, "--strategy", "pairwise", "--both-orders")
    assert (told["jobs"], told["ok"]) == (2, 4)


def test_battles_without_texts_are_not_judged_and_say_why(tmp_path: Path, model_server: ModelServer) -> None:
    project_with("preference", tmp_path, [{"left": "a", "right": "b", "winner": "left"}], "battles")
    make_endpoint(name="judge", model="simulated-judge", base_url=model_server.base_url, simulated=True)
    code, told, err = command("judge", "lab", "--strategy", "pairwise", "--endpoint", "judge", "--wait")
    assert (code, told["jobs"]) == (1, 0)
    assert "Answers with unknown text: 2." in err


@pytest.mark.parametrize("kind", ["preference", "score_vote"])
def test_pages_of_answers_and_judges_are_there_where_people_vote_and_hidden_from_who_votes(
    kind: str, tmp_path: Path, model_server: ModelServer
) -> None:
    row = on_a_pair() if kind == "preference" else on_an_answer(scores={"Overall quality": 4})
    project = project_with(kind, tmp_path, [row], "ratings")
    judged(model_server, "--strategy", "vanilla")
    item = Item.objects.get(project=project)
    lead, viewer, reviewer = (colleague(project, role).client for role in ("lead", "viewer", "reviewer"))
    addresses = [reverse(name, args=["lab"]) for name in ("leaderboard", "answers", "judges", "agreement", "trust")]
    addresses.append(reverse("item_verdicts", args=["lab", item.pk]))
    for address in addresses:
        assert lead.get(address).status_code == 200, address
        assert viewer.get(address).status_code == 200, address
    assert "simulated-judge" in lead.get(reverse("leaderboard", args=["lab"])).content.decode()
    doors = ("answers", "judges", "results")
    nav = "".join(lead.get(reverse(name, args=["lab"])).content.decode() for name in doors)
    assert all(f'href="{address}"' in nav for address in addresses[:5])
    for address in (*addresses[:3], addresses[5]):
        assert reviewer.get(address).status_code == 403, address
        assert address not in reviewer.get(reverse("agreement", args=["lab"])).content.decode()
    assert "run-purpose=judge" in lead.get(reverse("judges", args=["lab"])).content.decode()


def test_the_plan_form_plans_jobs_for_published_pairs(tmp_path: Path) -> None:
    project = project_with("preference", tmp_path, first_rows("autoj_pairwise.jsonl.gz"), "autoj")
    lead = colleague(project, "lead").client
    address, endpoint = reverse("run_new", args=["lab"]), make_endpoint(name="judge")
    choice = lead.get(address, {"run-purpose": "judge"}).content.decode()
    assert "run-option-strategy" in choice or "pairwise" in choice
    given = {
        "run-purpose": "judge",
        "run-option-strategy": "pairwise",
        "run-endpoint": endpoint.name,
        "run-option-repeats": 1,
        "run-option-pairs": "all",
    }
    answer = lead.post(address, given)
    assert answer.status_code == 302, answer.content.decode()[-3000:]
    assert Run.objects.get(project=project).jobs.count() == PAIRS


def test_verdicts_of_llmfao_are_under_the_name_that_the_file_or_the_option_says(tmp_path: Path) -> None:
    project = make_project(slug="lab", kind_slug="preference")
    rows = (DATA / "llmfao_gpt4-crowd-comparisons.csv").read_text("utf-8").splitlines()[:6]
    for name, words in (
        ("llmfao_gpt3-crowd-comparisons.csv", ()),
        ("llmfao_gpt4-crowd-comparisons.csv", ()),
        ("mine.csv", ("--option", "judge=my-judge")),
    ):
        path = tmp_path / name
        path.write_text("\n".join(rows), "utf-8")
        assert command("import_judgements", "lab", path, "--format", "llmfao", *words)[0] == 0
    assert set(project.judges.values_list("name", flat=True)) == {"gpt-3.5-turbo-instruct", "gpt-4", "my-judge"}
    path = tmp_path / "unnamed.csv"
    path.write_text("\n".join(rows), "utf-8")
    code, told, _err = command("import_judgements", "lab", path, "--format", "llmfao")
    assert (code, told["kept"]) == (1, 0)
    assert "does not name the judge" in told["problems"][0]["message"]
    assert project.judges.count() == 3
