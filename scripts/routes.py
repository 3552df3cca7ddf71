"""Measures how long the route of a value is: `python scripts/routes.py [--list]`.

The length of a route is the number of product modules (annotate, judging, lib, config) in which at least one function
is called on the way. Route A is the value of a field, from the import of a file to a release: import, work page,
submission, review page, acceptance, release. Route B is a verdict: a judge run is planned and started, its jobs are
worked, the leaderboard shows the score.

Commands and task functions run on a new SQLite installation in a temporary folder, pages are requested with Django's
test client. A profile hook counts in every process and thread of a leg of a route. Counted are calls of functions,
methods, lambdas and comprehensions of our files, pages with their middleware and template tags included. Not counted:
the bodies of modules and classes, whatever is called while a module is imported, Django's start and checks, templates,
code that libraries generate (dataclasses), and the preparation of the projects. The simulated model stands for a
service of somebody else, so it is counted apart.

Also --list: the modules of each route.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html.parser import HTMLParser
from inspect import CO_OPTIMIZED
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PRODUCT = tuple(f"{ROOT / top}{os.sep}" for top in ("annotate", "judging", "lib", "config"))
FILE = "ROUTES_FILE"  # the environment variable that names the file for the modules of a leg
SITE = "import sys; sys.path.insert(0, {folder!r}); import routes; routes.install()\n"
PATIENCE = 60  # seconds
PEOPLE = {"lena": "lead", "ana": "annotator", "ravi": "reviewer"}


class ModuleCounter:
    """A profile hook that appends each product module to a file, once, when a function of it is called first.

    It counts from the first call of a command's `handle`, or of `counted` in this module.
    """

    def __init__(self, path: str) -> None:
        self.file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        self.on = False
        self.seen: set[CodeType] = set()
        self.thread = threading.local()

    def __call__(self, frame: FrameType, event: str, _arg: Any) -> None:
        code = frame.f_code
        if code.co_name == "_find_and_load" and code.co_filename.startswith("<frozen importlib"):
            change = {"call": 1, "return": -1}.get(event, 0)
            # The hook is installed inside an import, whose end it sees without its beginning.
            self.thread.imports = max(0, getattr(self.thread, "imports", 0) + change)
        elif event == "call" and code not in self.seen:
            self.on = self.on or _begins(code)
            if self.on and not getattr(self.thread, "imports", 0):
                self.seen.add(code)
                self._note(code)

    def _note(self, code: CodeType) -> None:
        if code.co_filename.startswith(PRODUCT) and code.co_flags & CO_OPTIMIZED:  # bodies of classes are not optimized
            path = Path(code.co_filename).relative_to(ROOT).with_suffix("")
            os.write(self.file, f"{'.'.join(path.parts)}\n".encode())


def _begins(code: CodeType) -> bool:
    is_command = code.co_name == "handle" and "/management/" in code.co_filename
    return is_command or (code.co_name == "counted" and code.co_filename == __file__)


def install() -> None:
    """Called at the start of every Python process of a leg."""
    counter = ModuleCounter(os.environ[FILE])
    threading.setprofile(counter)
    sys.setprofile(counter)


class Measured:
    """An installation, and the modules that were called in it. leg: a word; each has a file of modules."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "site").mkdir()
        (folder / "site" / "sitecustomize.py").write_text(SITE.format(folder=str(Path(__file__).parent)))
        self.environment = os.environ | {
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "PYTHONPATH": str(ROOT),
            "SECRET_KEY": "only-for-a-measurement-" + "x" * 40,
            "DATA_DIR": str(folder / "data"),
            "DATABASE_URL": "",
            "CELERY_BROKER_URL": "filesystem://",
            "DEBUG": "true",  # files of pages need not be collected
            "HTTPS": "false",
        }
        (folder / "data").mkdir()
        del self.environment["DATABASE_URL"]

    def of_leg(self, leg: str) -> dict[str, str]:
        """The environment of a process that is counted; "" counts nothing."""
        if not leg:
            return self.environment
        paths = os.pathsep.join([str(self.folder / "site"), str(ROOT)])
        return self.environment | {"PYTHONPATH": paths, FILE: str(self.folder / leg)}

    def python(self, *arguments: object, leg: str = "") -> str:
        """Standard output. Ends the measurement where the process fails."""
        words = [sys.executable, *map(str, arguments)]
        ended = subprocess.run(words, cwd=ROOT, env=self.of_leg(leg), capture_output=True, text=True, check=False)
        if ended.returncode:
            sys.exit(f"{' '.join(words)}\n{ended.stdout}{ended.stderr}")
        return ended.stdout

    def manage(self, *arguments: object, leg: str = "") -> str:
        return self.python("manage.py", *arguments, leg=leg)

    def modules(self, leg: str) -> set[str]:
        """The modules called in the legs whose names begin so."""
        files = self.folder.glob(f"{leg}*")
        return {module for file in files if file.is_file() for module in file.read_text().split()}

    @contextmanager
    def simulated_model(self) -> Iterator[None]:
        words = [sys.executable, "manage.py", "simulated_model", "--port", "0", "--json"]
        with subprocess.Popen(words, cwd=ROOT, env=self.of_leg("model"), stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            process.stdout.readline()  # it answers from now on
            try:
                yield
            finally:
                process.terminate()


# The legs. Pages and task functions run in a process of their own, which is this file with the name of a leg.


class PageForm(HTMLParser):
    """The fields of the first form of a page with a given field, as a browser posts them untouched."""

    def __init__(self, page: str, name: str) -> None:
        super().__init__()
        self.fields: dict[str, list[str]] = {}
        self._forms: list[dict[str, list[str]]] = []
        self._select = self._area = ""
        self.feed(page)
        self.fields = next((form for form in self._forms if name in form), {})

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attributes}
        name = values.get("name", "")
        if tag == "form":
            self._forms.append({})
        elif tag == "select":
            self._select = name
        elif tag == "textarea":
            self._area = name
            self._add(name, "")
        elif tag == "option" and "selected" in values:
            self._add(self._select, values.get("value", ""))
        elif tag == "input" and (values.get("type") not in ("checkbox", "radio") or "checked" in values):
            self._add(name, values.get("value", ""))

    def handle_endtag(self, tag: str) -> None:
        if tag == "textarea":
            self._area = ""

    def handle_data(self, data: str) -> None:
        if self._area:
            self._forms[-1][self._area][-1] += data.removeprefix("\n")

    def _add(self, name: str, value: str) -> None:
        if name and self._forms:
            self._forms[-1].setdefault(name, []).append(value)


def counted(steps: Callable[[Any], None], client: Any) -> None:
    """From here on calls are counted; see ModuleCounter."""
    steps(client)


def _annotate(client: Any) -> None:
    page = client.post("/p/route-a/work/next/", follow=True)
    address = page.redirect_chain[-1][0]
    form = PageForm(page.content.decode(), "token").fields | {"suitable": ["yes"]}  # the one question left to people
    form["decided"] = ["task_type", "sub_task_type", *re.findall(r'data-field="(\w+)"', page.content.decode())]
    ended = client.post(f"{address}submit/", form, follow=True)
    _expect(ended.status_code == 200, f"{form}\n{ended.content.decode().partition('<main')[2]}")


def _review(client: Any) -> None:
    page = client.post("/p/route-a/review/next/", follow=True)
    address = page.redirect_chain[-1][0]
    form = PageForm(page.content.decode(), "token").fields
    ended = client.post(f"{address}accept/", form, follow=True)
    _expect(ended.status_code == 200, ended.content.decode())


def _drain(_client: Any) -> None:
    from annotate.models import Run
    from annotate.tasks import drain_run

    drain_run(Run.objects.get(purpose="judge").pk)


def _leaderboard(client: Any) -> None:
    page = client.get("/p/route-b/leaderboard/")
    _expect(page.status_code == 200 and "Ada" in page.content.decode(), page.content.decode())


def _expect(holds: bool, page: str) -> None:
    if not holds:
        sys.exit(f"not the page that was expected:\n{page[:20000]}")


LEGS: dict[str, tuple[str, Callable[[Any], None]]] = {
    "annotate": ("ana", _annotate),
    "review": ("ravi", _review),
    "drain": ("lena", _drain),
    "leaderboard": ("lena", _leaderboard),
}


def work_leg(name: str) -> None:
    """Do one leg in this process, as the person who does such work."""
    import django

    django.setup()
    from django.test import Client

    from annotate.models import User

    username, steps = LEGS[name]
    client = Client(headers={"host": "localhost"})
    client.force_login(User.objects.get(username=username))
    counted(steps, client)


# The routes.


def prepare(place: Measured, slug: str, *, accept: bool) -> None:
    """A project of feedback with its people; with `accept` also one accepted item with two answers."""
    place.manage("create_project", slug, "--kind", "feedback", "--reviews", "1")
    for name, role in PEOPLE.items():
        place.manage("add_member", slug, name, "--role", role, "--password", "a long password for a measurement")
    if accept:
        row = json.loads((place.folder / "item.jsonl").read_text())
        draft = {
            name: value for name, value in row.pop("suggestion").items() if name not in ("model", "prompt_version")
        }
        (place.folder / "decided.jsonl").write_text(json.dumps(row | draft | {"suitable": True}))
        place.manage("import_items", slug, place.folder / "decided.jsonl", "--accept")
        rows = [{"key": "demo-001", "author": author, "text": f"{author}: 0.96x"} for author in ("Ada", "Bob")]
        (place.folder / "answers.jsonl").write_text("\n".join(map(json.dumps, rows)))
        place.manage("import_answers", slug, place.folder / "answers.jsonl")


def route_of_a_field(place: Measured) -> None:
    prepare(place, "route-a", accept=False)
    place.manage("import_items", "route-a", place.folder / "item.jsonl", leg="A-1-import")
    place.python(__file__, "annotate", leg="A-2-annotate")
    time.sleep(11)  # a review opens when the submission cannot be taken back any more
    place.python(__file__, "review", leg="A-3-review")
    released = json.loads(
        place.manage("export_items", "route-a", "--out", place.folder / "released.jsonl", "--json", leg="A-4-release")
    )
    _expect(released["rows"] == 1, str(released))


def route_of_a_verdict(place: Measured) -> None:
    prepare(place, "route-b", accept=True)
    place.manage("endpoint", "model", "--base-url", "simulated", "--model", "simulated-judge")
    with place.simulated_model():
        place.manage("judge", "route-b", "--strategy", "checklist", "--endpoint", "model", leg="B-1-plan")
        place.python(__file__, "drain", leg="B-2-drain")
    place.python(__file__, "leaderboard", leg="B-3-leaderboard")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        place = Measured(Path(folder))
        item = (ROOT / "fixtures" / "feedback_demo.jsonl").read_text().splitlines()[0]
        (place.folder / "item.jsonl").write_text(item)
        place.manage("migrate", "-v0")
        route_of_a_field(place)
        route_of_a_verdict(place)
        for route, about in (("A", "a field's value, from a file to a release"), ("B", "a verdict, from plan to cell")):
            modules = place.modules(route)
            print(f"{route}  {len(modules):4} modules  {about}")
            for leg in sorted({file.name for file in place.folder.glob(f"{route}-*")}):
                print(f"   {len(place.modules(leg)):4} {leg}")
            if "--list" in sys.argv:
                print("\n".join(f"        {module}" for module in sorted(modules)))
        print(f"   {len(place.modules('model')):4} modules of the simulated model, in no route")


if __name__ == "__main__":
    work_leg(sys.argv[1]) if sys.argv[1:] and sys.argv[1] in LEGS else main()
