import io
import json
import zipfile
from typing import Any

import pytest
from django.test import Client

from annotate.models import Project
from annotate.releases.verify_files import manifest_of, verify_training
from tests.support.people import make_member
from tests.support.training import accepted_tree, judged_tree, tree_project
from tests.support.trees import PAIR

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    made = tree_project()
    for number in range(3):
        judged_tree(accepted_tree(made, f"a{number}", PAIR | {"query": f"Question {number}?"}))
    return made


def reader(client: Client, project: Project, role: str = "viewer") -> Client:
    client.force_login(make_member(project, role).user)
    return client


def test_the_page_counts_and_the_zip_holds_what_it_counts(client: Client, project: Project, tmp_path: Any) -> None:
    page = reader(client, project).get(f"/p/{project.slug}/training/?seed=3")
    assert page.status_code == 200
    assert "Judgements by recovered criteria" in page.content.decode()
    pack = zipfile.ZipFile(io.BytesIO(b"".join(client.get(f"/p/{project.slug}/training/files.zip?seed=3"))))
    pack.extractall(tmp_path)
    told = manifest_of(tmp_path)
    assert told is not None
    assert told["counts"] == _counts(page), "one pass for each file counts what one pass for all counts"
    found = verify_training(tmp_path, told)
    assert found.holds, found.differences
    assert found.rows == told["counts"]["chats"]["together"] + told["counts"]["preferences"]["together"] > 0
    assert "--seed 3" in told["command"]


def _counts(page: Any) -> dict[str, Any]:
    parts, pairs, chats = page.context["parts"], page.context["pairs"], page.context["all"]
    names = [*page.context["splits"], "together"]
    steps = [numbers for _name, rows, _sums in parts for _step, numbers in rows]
    keys = ["criteria", "guidelines", "judgements", "corrections"]
    keys += ["reverse_criteria", "reverse_guidelines", "reverse_judgements"]

    def named(numbers: list[int]) -> dict[str, int]:
        return dict(zip(names, numbers, strict=True))

    return {
        "steps": {key: named(numbers) for key, numbers in zip(keys, steps, strict=True)},
        "branching": named(parts[0][2]),
        "bridged": named(parts[1][2]),
        "chats": named(chats),
        "preferences": named(pairs),
        "left_out": dict(page.context["left_out"]),
    }


def test_the_command_that_is_shown_says_all_that_was_chosen(client: Client, project: Project) -> None:
    page = reader(client, project).get(f"/p/{project.slug}/training/?test=1&licence=CC BY 4.0")
    assert page.context["command"].endswith("--split test=1 --seed 0 --licence 'CC BY 4.0'")
    assert page.content.decode().count("control__optional") == 1, "only a licence may be left out"


def test_an_empty_project_says_where_rows_come_from_and_offers_no_file(client: Client) -> None:
    project = tree_project()
    page = reader(client, project).get(f"/p/{project.slug}/training/").content.decode()
    assert "No training data yet." in page
    assert "files.zip" not in page


@pytest.mark.parametrize("address", ["training/", "training/files.zip"])
def test_bad_choices_are_422_and_strangers_get_404(client: Client, project: Project, address: str) -> None:
    reader(client, project)
    bad = client.get(f"/p/{project.slug}/{address}?train=0.2&test=0.1")
    assert bad.status_code == 422
    assert "add up to 0.3" in bad.content.decode()
    assert client.get(f"/p/{project.slug}/{address}?train=0").status_code == 422
    empty = client.get(f"/p/{project.slug}/{address}?train=&test=1")
    assert (empty.status_code, empty.context["form"].errors["train"]) == (422, ["This field is required."])
    assert client.get(f"/p/{project.slug}/{address}?test=1").status_code == 200
    assert client.get(f"/p/{project.slug}/{address}?judges=none").status_code == 200
    reader(client, tree_project())
    assert client.get(f"/p/{project.slug}/{address}").status_code == 404
    assert reader(client, project, "annotator").get(f"/p/{project.slug}/{address}").status_code == 403


def test_what_changes_is_counted_anew_and_no_item_costs_a_query(
    client: Client, project: Project, django_assert_max_num_queries: Any
) -> None:
    reader(client, project)
    address = f"/p/{project.slug}/training/"
    # Of each tree eight rows: a list, two guidelines, four comparisons, a correction; seven of its judge.
    assert client.get(address).context["all"][-1] == 3 * 15
    for number in range(10, 40):
        accepted_tree(project, f"b{number}", PAIR | {"query": f"More {number}?"})
    with django_assert_max_num_queries(46 + 1):
        assert client.get(address).context["all"][-1] == 3 * 15 + 30 * 8
    with django_assert_max_num_queries(12):
        client.get(address)


def test_a_release_is_handed_out_in_other_formats(client: Client, project: Project) -> None:
    from annotate.chores import make_release
    from annotate.releases import actions
    from annotate.releases.actions import ReleaseFilters

    planned = actions.plan(project=project, filters=ReleaseFilters(), by=None)
    make_release.work(planned.pk)
    address = f"/p/{project.slug}/releases/{planned.version}/"
    page = reader(client, project).get(address).content.decode()
    assert "format=label_studio" in page
    tasks = json.loads(b"".join(client.get(f"{address}download/?format=label_studio")))
    assert [task["data"]["key"] for task in tasks] == ["a0", "a1", "a2"]
    assert b"<View>" in client.get(f"{address}download/?format=label_studio&beside=1").content
    assert b"key" in b"".join(client.get(f"{address}download/?format=csv"))
    assert client.get(f"{address}download/?format=csv&beside=1").status_code == 404
    assert client.get(f"{address}download/?format=nothing").status_code == 404
