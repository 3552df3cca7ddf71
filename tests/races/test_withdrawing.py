"""People write on cases while those who reported them take them back: not one word stays, on either database."""

from pathlib import Path

import pytest

from tests.races.racers import Run, everybody, race
from tests.support.installation import Installation

pytestmark = pytest.mark.slow
PEOPLE, PARTICIPANTS = 6, 8

MAKE = """
from tests.support.people import make_member
from tests.support.surveys import open_survey, sent
from tests.support.use_cases import use_case_project
from tests.support.withdrawn import reported_by, search, write_about
from annotate.survey import answers
from django.conf import settings

settings.ALLOWED_HOSTS = ["testserver"]
answers.NEW_AN_HOUR = 1000
survey = open_survey(use_case_project(slug="race", reviews=0))
for number in range(participants):
    last = sent(survey, first=1 + 10 * number)
write_about(reported_by(last))
result = {
    "people": [make_member(survey.project).user.username for _number in range(people)],
    "found": len(set(search())),
    "items": Item.objects.filter(project=survey.project).count(),
}
"""
LATER = """
from annotate.upkeep import reconciliation
from tests.support.withdrawn import let_settle, search

let_settle()
reconciliation.reconcile()
result = [sorted(set(search() + search("frobnia"))), Withdrawal.objects.filter(ended_at=None).count()]
"""


def files_with(folder: Path, *words: bytes) -> list[str]:
    """Whatever lies there: SQLite's file and its write-ahead file too, with what was deleted in them."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [path.name for path in files if any(word in path.read_bytes() for word in words)]


def test_no_word_stays_of_what_is_taken_back_while_people_write(installation: Installation) -> None:
    made = installation.python(MAKE, people=PEOPLE, participants=PARTICIPANTS)
    assert made["found"] > 20
    people = made["people"]
    runs = everybody(people[1:], "keep_writing", word="zyxtal", times=40)
    received = race(installation, [*runs, Run(people[0], "withdraw_everything")])
    assert len([each for each in received if "withdrawn" in each]) == PARTICIPANTS
    left, unfinished = installation.python(LATER)
    assert (left, unfinished) == ([], 0)
    assert files_with(installation.folder, b"zyxtal", b"frobnia") == []
    assert installation.python("result = Item.objects.filter(erasure=None, reported__isnull=False).count()") == 0
