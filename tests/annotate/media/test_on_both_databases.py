"""Files of rows on SQLite and on PostgreSQL: who sees them, which are named, and that the last one takes the bytes."""

import pytest

from tests.support.installations import Installations

pytestmark = pytest.mark.slow
ASKED = '''
from django.http import Http404
from annotate.items import queue
from annotate.media.actions import add, remove_files_of, remove_unnamed
from annotate.media.queries import file_seen_by
from annotate.project.actions import create_project
from tests.support.people import make_item, make_member
from tests.support.pictures import picture

text = """show: [{field: a "quoted" column, as: image}]
questions: [{name: ok, type: choice, options: [good, bad]}]
"""
project = create_project(slug="own", kind="form", definition=text, reviews=0)
files = [add(project=project, name=name, data=picture(colour=name), by=None)[0] for name in ("red", "blue", "green")]
make_item(project, facts={'a "quoted" column': "red"})
annotator = make_member(project)

def seen():
    def sees(file):
        try:
            return bool(file_seen_by(annotator, file.link))
        except Http404:
            return False
    return [sees(file) for file in files]

result = [seen()]
queue.claim_next(annotator, "annotate")
other = make_item(project, facts={'a "quoted" column': "blue"})
result += [seen(), remove_unnamed(project), remove_files_of(other), list(project.media.values_list("name", flat=True))]
'''


def test_both_databases_know_which_items_name_a_file(installations: Installations, database: str) -> None:
    with installations.migrated(database) as installation:
        assert installation.python(ASKED) == [[False] * 3, [True, False, False], 1, 1, ["red"]]
