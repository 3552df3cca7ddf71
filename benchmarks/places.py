"""Where benchmarks run: installations like those of the tests, with gunicorn as the demo starts it."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.installation import Installation
from tests.support.installations import Installations

DATABASES = ("sqlite", "postgres")


@contextmanager
def installation(database: str) -> Iterator[Installation]:
    """A migrated installation without a web server."""
    with (
        tempfile.TemporaryDirectory(prefix="touchstone-bench-") as folder,
        Installations(Path(folder)).apart() as installations,
        installations.migrated(database) as place,
    ):
        yield place


PROJECT = """
made = Project.objects.create(slug="bench", name="Bench", kind_slug="feedback", overlap=1, reviews=reviews)
Guideline.objects.create(project=made, version=1, text=guideline)
"""
GUIDELINE = "\n".join(["# How we write feedback", *["- Say what is wrong, and where.\n- Ask **one** question."] * 10])


def edited_before(place: Installation) -> None:
    """Every item has been through a round in which its feedback was edited: its page shows a difference at once."""
    place.python(EDITED)


EDITED = """
from django.db.models import OuterRef, Subquery

def edited(draft):
    text = draft["feedback"].replace("that", "which").replace("Look at it", "Go over it")
    return draft | {"feedback": f"{text} Why?"}

drafts = Annotation.objects.exclude(model="").values_list("item_id", "draft").order_by("id")
rounds = (Annotation(item_id=item, rater="first round", draft=edited(draft)) for item, draft in drafts.iterator())
Annotation.objects.bulk_create(rounds, batch_size=500)
own = Annotation.objects.filter(item=OuterRef("pk"), rater="first round").values("pk")[:1]
Item.objects.update(base_id=Subquery(own))
"""


def project(place: Installation, *, reviews: int = 1) -> None:
    place.python(PROJECT, reviews=reviews, guideline=GUIDELINE)
