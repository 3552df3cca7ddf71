"""Agreement about own questions with judges beside people: the report, the table of questions, and what opens."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from annotate.definitions.actions import write_definition
from annotate.engine.purposes import purposes
from annotate.items import queue
from annotate.models import Item, Job, Project
from annotate.project.actions import create_project
from annotate.work import submit
from judging.boards.agreement.agreement_options import AgreementOptions, AgreementQuery, agreement_query
from judging.boards.agreement.judged_questions import question_headline, similar_pairs
from judging.boards.agreement.page import headline_shown
from judging.boards.agreement.question_pages import question_table_rows
from judging.models import Judge
from judging.ratings.units import Today
from tests.support.desks import colleague
from tests.support.files import command, imported, write_rows
from tests.support.judges import saying, shipped
from tests.support.pages import html_of
from tests.support.people import make_member, written
from tests.support.running import run
from tests.support.runs import make_endpoint, make_run

pytestmark = pytest.mark.django_db
DEFINITION = """show: [{field: prompt}, {field: a}, {field: b}]
questions:
  - {name: good, type: rating, ask: How good is it?, scale: {"1": bad, "5": good}}
  - {name: safe, type: choice, options: ["yes", "no"]}
  - {name: topics, type: choices, options: [news, code], required: false}
  - {name: order, type: ranking, of: [a, b], required: false}
  - {name: why, type: text, required: false}
unit: doc
"""
ITEMS = 36  # people are tested from 30 units on


def rating(n: int) -> dict[str, Any]:
    return {
        "good": n % 5 + 1,
        "safe": "yes" if n % 3 else "no",
        "topics": ["news"] if n % 2 else ["news", "code"],
        "order": [1, 2] if n % 4 else [2, 1],
        "why": f"because {n}",
    }


@pytest.fixture
def project(tmp_path: Path) -> Project:
    project = create_project(slug="own", kind="form", definition=DEFINITION, reviews=0)
    rows = [
        {"key": f"k{n}", "prompt": f"Number {n}", "a": f"x{n}", "b": f"y{n}", "doc": f"d{n // 2}"} for n in range(ITEMS)
    ]
    assert imported(project, write_rows(tmp_path / "items.jsonl", rows))["kept"] == ITEMS
    people = [{"key": f"k{n}", "rater": rater, **rating(n)} for n in range(ITEMS - 1) for rater in ("Ann", "Bo")]
    people.append({"key": f"k{ITEMS - 1}", "rater": "Ann", **rating(ITEMS - 1)})
    report = command("import_ratings", "own", write_rows(tmp_path / "ratings.jsonl", people))[1]
    assert report["ratings"] == 2 * ITEMS - 1
    return Project.objects.get(slug="own")


def judged(project: Project, model: str, *, off_by: int = 0, unreadable: tuple[str, ...] = ()) -> Judge:
    """A judge that answers as people do, about the item `off_by` places further on."""
    purpose = purposes()["judge"]
    made = make_run(project, purpose="judge", endpoint=make_endpoint(model=model), options={"strategy": "form"})
    jobs = [Job.objects.create(run=made, subject=job.subject, item_id=job.item_id) for job in purpose.plan(made)]
    for case in purpose.load(made, jobs, shipped("forms")):
        said = rating(int(case.item.key[1:]) + off_by)
        columns = json.loads(case.subject.first.text)  # type: ignore[attr-defined]  # of a JudgeCase
        ask = saying(json.dumps(said) if case.item.key not in unreadable else "I cannot say.")
        shown = run(purpose.work(case, ask))
        sent = ask.asked[0].messages[1]["content"]
        if sent.index(columns["b"]) < sent.index(columns["a"]):  # a and b have changed sides
            said["order"] = [said["order"][1], said["order"][0]]
            shown = run(purpose.work(case, saying(json.dumps(said))))
        purpose.store(case, shown)
    return Judge.objects.get(name=model)


def report(*words: str) -> dict[str, Any]:
    code, told, err = command("report", "own", "agreement", *words)
    assert code == 0, err
    return told


QUESTIONS = {"good": "krippendorff_alpha", "safe": "kappa_pooled", "topics": "alpha_masi", "order": "kendall_w"}


def test_judges_are_beside_people_and_change_nothing_of_theirs(project: Project) -> None:
    before = {name: report("--what", name) for name in QUESTIONS}
    judged(project, "equal")
    judged(project, "other", off_by=1)
    for name, coefficient in QUESTIONS.items():
        told = report("--what", name)
        of_judges = ("headline", "costs")
        assert {key: told[key] for key in told if key not in of_judges} == {
            key: before[name][key] for key in before[name] if key not in of_judges
        }
        headline = told["headline"]
        assert (headline["coefficient"], headline["resampled_by"]) == (coefficient, "related_items")
        assert headline["people"]["value"] == 1
        equal, other = headline["judges"]
        assert (equal["name"], equal["value"], equal["difference"]) == ("equal", 1, 0)
        assert (equal["units"], equal["pairs"]) == (ITEMS - 1, 2 * (ITEMS - 1))
        assert other["value"] < 1
        assert other["difference"] == pytest.approx(other["value"] - 1)
        assert other["difference_low"] <= other["difference"] <= other["difference_high"]


def test_what_cannot_be_read_or_is_about_an_older_text_does_not_count(project: Project) -> None:
    judged(project, "equal", unreadable=("k0", "k1"))
    assert report("--what", "safe")["headline"]["judges"][0]["units"] == ITEMS - 3
    Item.objects.filter(key="k2").update(content_hash="another", changed_at=timezone.now())
    assert report("--what", "safe")["headline"]["judges"][0]["units"] == ITEMS - 4


def test_answers_of_judges_are_read_under_the_newest_definition(project: Project) -> None:
    judged(project, "equal")
    renamed = DEFINITION.replace(
        'name: safe, type: choice, options: ["yes", "no"]',
        'name: harmless, formerly: safe, type: choice, options: [fine, "no"], was: {"yes": fine}',
    )
    write_definition(project, text=renamed, by=None, based_on=1)
    headline = report("--what", "harmless")["headline"]
    assert (headline["people"]["value"], headline["judges"][0]["value"]) == (1, 1)


def test_all_questions_are_one_table_from_which_each_opens(project: Project) -> None:
    judge = judged(project, "equal")
    lead = colleague(project, "lead")
    html = html_of(lead.client, "/p/own/agreement/")
    for text in ("How good is it?", "rating", "several of several", "ranking", "equal", "Not compared: why"):
        assert text in html
    assert "agreement/?about=question%3Agood" in html
    assert f"of=judges&amp;rater=j{judge.pk}" in html
    one = html_of(lead.client, "/p/own/agreement/?about=question%3Agood")
    assert "Krippendorff" in one
    assert 'id="headline"' in one
    for name in QUESTIONS:
        assert lead.client.get(f"/p/own/agreement/?about=question%3A{name}").status_code == 200
    units = html_of(lead.client, f"/p/own/agreement/units/?about=question%3Agood&of=judges&rater=j{judge.pk}")
    item = Item.objects.get(project=project, key="k0")
    assert f"/p/own/agreement/items/{item.pk}/" in units
    alone = html_of(lead.client, "/p/own/agreement/units/?about=question%3Agood&of=alone")
    assert f"k{ITEMS - 1}" in alone
    csv = lead.client.get("/p/own/agreement/agreement.csv").content.decode()
    assert '"good","rating","people","alpha_ordinal","1.0"' in csv
    assert '"order","ranking","equal","kendall_w","1.0"' in csv
    printed = html_of(lead.client, "/p/own/agreement/one-page/")
    assert "How good is it?" in printed


def test_the_table_and_the_page_of_a_question_say_the_same_of_people(project: Project, tmp_path: Path) -> None:
    rows = [{"key": f"k{n}", "rater": "Cy", **rating(n + n % 4)} for n in range(ITEMS - 9)]
    command("import_ratings", "own", write_rows(tmp_path / "more.jsonl", rows))
    judged(project, "other", off_by=1)
    today = Today(project)
    for row in question_table_rows(today):
        query = agreement_query(project, AgreementOptions(about=f"question:{row.name}"))
        assert isinstance(query, AgreementQuery)
        page = headline_shown(query)
        people = page["headline"].people
        assert (row.first.value, row.first.low, row.first.high) == (people.value, people.low, people.high)
        assert row.units == people.units
        assert [other.name for other in page["other_coefficients"]] == [other.name for other in row.others]
    assert [row.first.name for row in question_table_rows(today)][:2] == ["alpha_ordinal", "kappa_pooled"]
    html = html_of(colleague(project, "lead").client, "/p/own/agreement/?about=question%3Asafe")
    assert "Krippendorff&#x27;s α, nominal" in html
    assert "a judge's row" in " ".join(html.replace("&#x27;", "'").split())


def test_chosen_people_are_compared_at_the_measure_of_the_question(project: Project, tmp_path: Path) -> None:
    rows = [{"key": f"k{n}", "rater": "Cy", **rating(n + 1)} for n in range(ITEMS - 1)]
    command("import_ratings", "own", write_rows(tmp_path / "more.jsonl", rows))
    judged(project, "equal")
    for name, coefficient in (("topics", "alpha_masi"), ("order", "kendall_w")):
        options = AgreementOptions(about=f"question:{name}", raters=("p1", "p2"))
        query = agreement_query(project, options)
        assert isinstance(query, AgreementQuery)
        found = headline_shown(query)["headline"]
        assert (found.coefficient, found.people.value, found.chosen) == (coefficient, 1, True)
        assert question_headline(Today(project), name).people.value < 1  # type: ignore[union-attr]


@pytest.mark.parametrize(("name", "measure"), [("topics", "1 less the MASI distance"), ("order", "Kendall")])
def test_answers_that_agree_by_degrees_are_not_counted_as_equal_or_not(
    project: Project, name: str, measure: str
) -> None:
    judged(project, "other", off_by=1)
    query = agreement_query(project, AgreementOptions(about=f"question:{name}"))
    assert isinstance(query, AgreementQuery)
    people, ann, _bo = similar_pairs(query.today, query.found)
    assert (people.units, people.mean.value) == (ITEMS - 1, 1)
    question = project.kind.questions()[name]
    pairs = [[question.measured(rating(n + by)[name]) for by in (0, 1)] for n in range(ITEMS)]
    expected = sum(question.similarity(*pair) for pair in pairs) / ITEMS
    assert (ann.two.name, ann.units, ann.mean.value) == ("other", ITEMS, pytest.approx(expected))
    assert (ann.mean.low, ann.mean.high) == pytest.approx((expected, expected))  # documents differ alike
    html = html_of(colleague(project, "lead").client, f"/p/own/agreement/?about=question%3A{name}")
    assert measure in html[html.index('id="pairs-head"') :]
    for no in ("Confusion matrix</h2>", 'name="coefficient"', 'id="beside"', 'id="slices"'):
        assert no not in html
    assert "Confusion matrix" in html_of(colleague(project, "lead").client, "/p/own/agreement/?about=question%3Asafe")


def test_one_item_says_who_answered_what(project: Project) -> None:
    judged(project, "equal")
    item = Item.objects.get(project=project, key="k3")
    address = f"/p/own/agreement/items/{item.pk}/"
    html = html_of(colleague(project, "lead").client, address)
    for text in ("Ann", "Bo", "equal", "4", "because 3", "agree"):
        assert text in html
    told = html_of(colleague(project, "viewer").client, address)
    assert "Person 1" in told
    assert "Ann" not in told
    assert colleague(project, "annotator").client.get(address).status_code == 403
    assert colleague(create_project(slug="other", kind="form"), "lead").client.get(address).status_code == 404
    assert address in html_of(colleague(project, "lead").client, f"/p/own/items/{item.pk}/")


def test_what_somebody_still_works_on_is_shown_to_nobody(tmp_path: Path) -> None:
    project = create_project(slug="two", kind="form", definition=DEFINITION, reviews=0, overlap=2)
    imported(project, write_rows(tmp_path / "items.jsonl", [{"key": "k", "prompt": "p", "a": "x", "b": "y"}]))
    members = [make_member(project) for _ in range(2)]
    item = Item.objects.get(project=project)
    lead = colleague(project, "lead")
    for n, member in enumerate(members):
        slot = queue.claim_next(member, "annotate")
        assert slot is not None
        draft = {"good": 4, "safe": "yes", "topics": [], "order": [], "why": f"secret {n}"}
        submit.submit(annotation=written(slot, member, draft), token=slot.token, by=member.user)
        html = html_of(lead.client, f"/p/two/agreement/items/{item.pk}/")
        assert ("secret 0" in html) == (n == 1)
    assert html.count("none of them") == 2  # an empty set is an answer


# --- trust ------------------------------------------------------------------------------------------------------------
def test_a_judge_is_weighed_against_people_by_each_question(project: Project, tmp_path: Path) -> None:
    rows = [{"key": f"k{n}", "rater": "Cy", **rating(n)} for n in range(ITEMS)]
    command("import_ratings", "own", write_rows(tmp_path / "more.jsonl", rows))
    judged(project, "equal")
    judged(project, "other", off_by=1)
    for what in ("good", "safe"):
        code, told, err = command("report", "own", "trust", "--what", what, "--judge", "equal")
        assert code == 0, err
        assert told["what"] == what
        tests = {test["judge"]: test for test in told["tests"]}
        assert tests["equal"]["advantage"]["value"] > tests["other"]["advantage"]["value"]
        assert tests["equal"]["skipped"] == {}
    good = command("report", "own", "trust", "--what", "good", "--judge", "other")[1]
    (mean,) = good["corrected"]
    assert mean["author"] == "good"
    overall = mean["columns"]["overall"]
    people = sum((n % 5) / 4 for n in range(ITEMS)) / ITEMS  # as shares of the scale
    assert overall["labelled_only"]["value"] == pytest.approx(people)
    lead = colleague(project, "lead")
    for what in ("good", "safe"):
        page = html_of(lead.client, f"/p/own/trust/?about=question%3A{what}")
        assert "Alternative annotator test" in page
        assert ">met<" not in "".join(page.split())  # 1 is a step of a scale here
        assert lead.client.get(f"/p/own/trust/units/?about=question%3A{what}").status_code == 200
        assert lead.client.get(f"/p/own/trust/one-page/?about=question%3A{what}").status_code == 200
    assert 'href="/p/own/trust/"' in html_of(lead.client, "/p/own/results/")


def test_sets_and_orders_are_weighed_by_how_far_they_agree(project: Project, tmp_path: Path) -> None:
    # Cy says what Ann and Bo say about every item but each third, where Cy ranks the other way round and names one
    # topic more or less: MASI similarity 1/2 · 2/3 = 1/3.
    def differs(n: int) -> dict[str, Any]:
        topics = ["news", "code"] if len(rating(n)["topics"]) == 1 else ["news"]
        return {"topics": topics, "order": rating(n)["order"][::-1]} if n % 3 == 0 else {}

    rows = [{"key": f"k{n}", "rater": "Cy", **rating(n), **differs(n)} for n in range(ITEMS - 1)]
    command("import_ratings", "own", write_rows(tmp_path / "more.jsonl", rows))
    judged(project, "equal")
    share = 12 / 35  # of the items that all have rated
    for what, measure, away in (("topics", "masi", 2 / 3), ("order", "ranking", 1)):
        code, told, err = command("report", "own", "trust", "--what", what)
        assert code == 0, err
        (test,) = told["tests"]
        assert test["similarity"]["measure"] == measure
        people = {row["person"]: row["similarity"] for row in test["people"]}
        assert people["Ann"]["person"]["value"] == pytest.approx(1 - share * away / 2)
        assert people["Cy"]["person"]["value"] == pytest.approx(1 - share * away)
        assert people["Cy"]["judge"]["value"] == 1
        assert people["Cy"]["difference"]["value"] == pytest.approx(share * away)
        assert 0 < people["Cy"]["difference"]["low"] < share * away < people["Cy"]["difference"]["high"]
        assert test["skipped"] == {"fewer_than_two_people": 1}
        assert [row["judge"]["value"] for row in test["people"]] == [1, 1, 1]
        assert told["errors"]["raters"] == []
    lead = colleague(project, "lead")
    page = html_of(lead.client, "/p/own/trust/?about=question%3Atopics")
    assert "MASI distance" in page
    assert "corrected with human labels" not in page
    printed = html_of(lead.client, "/p/own/trust/one-page/?about=question%3Aorder")
    assert "Kendall" in printed
    link = page[page.index("/p/own/trust/units/?") :].partition('"')[0].replace("&amp;", "&")
    assert "news, code" in html_of(lead.client, link) or "code, news" in html_of(lead.client, link)


def test_texts_weigh_no_judge(project: Project) -> None:
    judged(project, "equal")
    code, _told, err = command("report", "own", "trust", "--what", "why")
    assert (code, "the question why are of the type text" in err) == (1, True)


# --- means of ratings -------------------------------------------------------------------------------------------------
def test_ratings_have_means_by_column_of_people_and_of_each_judge(project: Project) -> None:
    judged(project, "other", off_by=1)
    people = command("report", "own", "scores")[1]
    everybody = [n % 5 + 1 for n in [*range(ITEMS), *range(ITEMS - 1)]]
    (row,) = people["rows"]
    assert (row["score"], row["n"], row["mean"]) == ("good", len(everybody), sum(everybody) / len(everybody))
    told = command("report", "own", "scores", "--judge", "other", "--by", "doc")[1]
    assert told["judge"] == "other"
    assert {(row["group"], row["mean"]) for row in told["rows"]} == {
        (f"d{n}", ((2 * n + 1) % 5 + (2 * n + 2) % 5) / 2 + 1) for n in range(ITEMS // 2)
    }
    code, _told, err = command("report", "own", "scores", "--judge", "nobody")
    assert (code, err) == (1, "No judge of own questions is called “nobody”. Judges: “other”.")
    lead = colleague(project, "lead")
    assert "Rated by" in html_of(lead.client, "/p/own/scores/?judge=other")


def test_a_page_needs_no_more_queries_for_more_judges(project: Project, django_assert_max_num_queries: Any) -> None:
    lead = colleague(project, "lead")
    judged(project, "equal")
    judged(project, "other", off_by=1)
    with django_assert_max_num_queries(80):
        html_of(lead.client, "/p/own/agreement/")
