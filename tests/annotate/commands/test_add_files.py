import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotate.models import MediaFile
from annotate.project.actions import create_project
from tests.support.people import make_project
from tests.support.pictures import packed, picture

pytestmark = pytest.mark.django_db
TEXT = "show: [{field: picture, as: image}]\nquestions: [{name: ok, type: choice, options: [good, bad]}]\n"


@pytest.fixture(autouse=True)
def own(media_folder: Path) -> None:
    create_project(slug="own", kind="form", definition=TEXT)


def add_files(*arguments: Any) -> dict[str, Any]:
    out = StringIO()
    call_command("add_files", "own", *map(str, arguments), "--json", stdout=out)
    return dict(json.loads(out.getvalue()))


def test_files_are_added_by_their_names_and_those_of_a_folder_by_their_paths(tmp_path: Path) -> None:
    (tmp_path / "set" / "pictures").mkdir(parents=True)
    (tmp_path / "a.png").write_bytes(picture())
    (tmp_path / "set" / "pictures" / "b.png").write_bytes(picture("PNG", colour="blue"))
    (tmp_path / "set" / "outside").symlink_to("/etc/passwd")
    assert add_files(tmp_path / "a.png", tmp_path / "set")["added"] == ["a.png", "pictures/b.png"]
    assert add_files(tmp_path / "a.png") == {"added": [], "known": ["a.png"], "refused": []}


def test_what_is_refused_is_named_and_the_command_fails(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"<svg/>")
    (tmp_path / "b.png").write_bytes(picture())
    with pytest.raises(CommandError, match="1 of the files"):
        add_files(tmp_path / "a.png", tmp_path / "b.png")
    assert MediaFile.objects.get().name == "b.png"
    with pytest.raises(CommandError, match="There is no file"):
        add_files(tmp_path / "c.png")


def test_a_zip_is_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "set.zip"
    path.write_bytes(packed({"p/a.png": picture(), "p/b.txt": b"hello"}))
    assert add_files(path) == {"added": ["p/a.png", "p/b.txt"], "known": [], "refused": []}
    assert add_files(path)["known"] == ["p/a.png", "p/b.txt"]
    path.write_bytes(packed({"c.png": picture(), "../d.png": picture()}))
    with pytest.raises(CommandError, match="1 of the files"):
        add_files(path)
    assert not MediaFile.objects.filter(name="c.png").exists()


def test_other_kinds_have_no_files() -> None:
    make_project(slug="fb")
    with pytest.raises(CommandError, match="only projects of the kind form"):
        call_command("add_files", "fb", "a.png")
