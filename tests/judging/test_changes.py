"""Changes of verdicts and answers are counted by the database, whoever writes them and however."""

from collections.abc import Callable

import pytest
from django.db import connection

from annotate.bulk_rows import BulkInsert
from annotate.models import Project
from judging.cache import states_of
from judging.models import Answer, AnswerChanges, Author, Judge, Verdict, VerdictChanges
from tests.support.installations import Installations
from tests.support.judged import CORRECTION, a_judge, answer_of, decided_item, verdict_on
from tests.support.people import make_project

pytestmark = pytest.mark.django_db


def by_bulk_insert() -> None:
    old = Verdict.objects.get()
    columns = ("judge_id", "item_id", "case_sha", "first_id", "repeat")
    BulkInsert(Verdict, columns).insert([(old.judge_id, old.item_id, old.case_sha, old.first_id, 2)])


def by_plain_sql() -> None:
    with connection.cursor() as cursor:
        cursor.execute("UPDATE judging_verdict SET note = 'read again'")


WRITERS: dict[str, Callable[[], object]] = {
    "a bulk insert": by_bulk_insert,
    "plain SQL": by_plain_sql,
    "a verdict that is read again": lambda: Verdict.objects.update(score_first=0.5),
    "a reading of its explanation": lambda: Verdict.objects.update(found_in_explanation=True),
    "a deletion": lambda: Verdict.objects.all().delete(),
    "an answer whose text is filled in": lambda: Answer.objects.update(text="now known"),
    "a deleted author": lambda: Author.objects.all().delete(),
}


def judged() -> tuple[Project, Judge]:
    project = make_project()
    judge = a_judge(project)
    verdict_on(answer_of(decided_item(project, CORRECTION), "Alpha"), judge, (1, 0))
    return project, judge


@pytest.mark.parametrize("writer", WRITERS)
def test_every_change_gives_another_state(writer: str) -> None:
    project, judge = judged()
    before = states_of(project, [judge])
    assert states_of(project, [judge]) == before
    WRITERS[writer]()
    assert states_of(project, [judge]) != before


def test_other_judges_and_projects_keep_their_state() -> None:
    project, judge = judged()
    other = a_judge(project, "other")
    before = states_of(project, [other])
    Verdict.objects.update(note="changed")
    verdict_on(answer_of(decided_item(make_project(), CORRECTION), "Beta"), a_judge(make_project()), (1, 1))
    assert states_of(project, [other]) == before
    assert states_of(project, [judge]).keys() == {judge.pk}


def test_a_counter_begins_with_a_token_of_its_own() -> None:
    """Two installations, or one before and after a restore, never have the same state by chance."""
    _, earlier = judged()
    project, judge = judged()
    (verdicts,) = VerdictChanges.objects.filter(owner=judge.pk)
    (answers,) = AnswerChanges.objects.filter(owner=project.pk)
    assert (verdicts.changes, answers.changes) == (1, 1)
    assert VerdictChanges.objects.get(owner=earlier.pk).token != verdicts.token != answers.token


COUNT = """
from django.db import connection
from judging.models import Answer, Judge, Verdict, VerdictChanges
from tests.support.judged import CORRECTION, a_judge, answer_of, decided_item, verdict_on
from tests.support.people import make_project

project = make_project()
judges = [a_judge(project, name) for name in ("first", "second")]
answer = answer_of(decided_item(project, CORRECTION), "Alpha")
for judge in judges:
    verdict_on(answer, judge, (1, 0))
Verdict.objects.filter(judge=judges[0]).update(note="changed")
Verdict.objects.filter(judge=judges[0]).delete()
result = [sum(row.changes for row in VerdictChanges.objects.filter(owner=judge.pk)) for judge in judges]
"""


@pytest.mark.slow
def test_both_databases_count_alike(installations: Installations, database: str) -> None:
    with installations.migrated(database) as installation:
        assert installation.python(COUNT) == [3, 1]
        installation.manage("migrate", "judging", "0012")
        installation.manage("migrate", "judging", "0013")
        assert installation.python(COUNT.replace("make_project()", "make_project(slug='again')")) == [3, 1]
