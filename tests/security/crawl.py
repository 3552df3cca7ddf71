"""Every page of our project, and outside of projects, that somebody may read."""

import io
import zipfile

from django.http import HttpResponse

from annotate.models import Project
from tests.security.addresses import addresses
from tests.security.asking import client_of, path_for
from tests.security.lines import LINES
from tests.security.world import OURS, World

ASPECTS = ("", "history/", "comments/")  # of an item in the API


def body(answer: HttpResponse) -> str:
    """The text that was answered; of a zip the texts of its files."""
    content = b"".join(answer.streaming_content) if answer.streaming else answer.content  # type: ignore[arg-type]
    if answer.headers["Content-Type"] != "application/zip" or not content:
        return content.decode()
    with zipfile.ZipFile(io.BytesIO(content)) as pack:
        return "\n".join(pack.read(name).decode() for name in pack.namelist())


def pages_of(world: World, person: str) -> dict[str, str]:
    """path -> what this person gets there: all addresses that are read, with all ids that the project has."""
    client = client_of(world, person)
    answers = {path: client.get(path) for path in [*_listed(world, person), *_numbered()]}
    return {path: body(answer) for path, answer in answers.items() if answer.status_code == 200}


def _listed(world: World, person: str) -> list[str]:
    return [path_for(world, addresses()[line.address], person) for line in LINES if line.method == "GET"]


def _numbered() -> list[str]:
    project = Project.objects.get(slug=OURS)
    items = [f"/p/{OURS}/items/{item.pk}/" for item in project.items.all()]
    items += [f"/api/v1/projects/{OURS}/items/{item.pk}/{more}" for item in project.items.all() for more in ASPECTS]
    return items + [f"/p/{OURS}/{page}/{slot.pk}/" for slot in project.slots.all() for page in ("work", "review")]
