"""Cache of long calculations; a result stays valid until something changes that it was made of: data or source."""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, cast

from django.core.cache import caches
from django.db.models import Count, Max, OuterRef, Subquery, Sum

from annotate.models import Item, ItemCount, Job, Project
from judging import patience, results
from judging.models import AnswerChanges, Author, Judge, VerdictChanges
from judging.models.computations import Changes

T = TypeVar("T")
KEPT_SECONDS = 60 * 60  # seconds; unused results expire


def cached(name: str, state: str, make: Callable[[], T], *, at_once: bool = False) -> T:
    """The result of make(), computed once for each state. Each state has its own cache key: nothing is stale.

    The source of make's module and of all that it imports is part of the key, so nobody counts versions by hand.
    Results that took long are files, which all processes share. Raises Slow where a page should not wait for it, unless
    it is needed at_once, to know what the page is about.
    """
    if results.is_older():
        return cast(T, results.older_result(name))
    key = f"judging:{name}:{source_digest(_module_of(make))}:{state}"
    local_key = digest([key])  # a name with many parts is longer than a key may be
    stored: T | None = results.read(key)
    if stored is None:
        stored = caches["local"].get(local_key)
    if stored is None:
        stored = make() if at_once else patience.made(name, key, make)
        if not results.is_stored(key):
            caches["local"].set(local_key, stored, KEPT_SECONDS)
    results.record(name, key, stored)
    return stored


def states_of(project: Project, judges: Sequence[Judge]) -> dict[int, str]:
    """judge -> a digest that changes with every verdict of it, answer, item, author and setting of the project.

    Always five queries, none of which reads verdicts or answers.
    """
    counters = changes_of(VerdictChanges, OuterRef("pk")).values()
    rows = Judge.objects.filter(pk__in=[judge.pk for judge in judges]).order_by().values_list("pk", *counters)
    changes = {judge: counts for judge, *counts in rows}
    common = [project.pk, project.options, *_common(project)]
    return {
        judge.pk: digest([*common, str(judge), judge.simulated, judge.pk, changes.get(judge.pk)]) for judge in judges
    }


def changes_of(table: type[Changes], owner: Any) -> dict[str, Subquery]:
    """Columns for a query, `changes` and `token`, of which one is another after every change of the owner's rows.

    owner: its id, or an OuterRef to it. Both are None before the first change.
    """
    counters = table._default_manager.filter(owner=owner).order_by().values("owner")
    figures = {"changes": Sum("changes"), "token": Max("token")}
    return {name: Subquery(counters.annotate(figure=figure).values("figure")) for name, figure in figures.items()}


def state_of_all(project: Project) -> str:
    """The same for all judges of a project together. Six queries."""
    states = states_of(project, list(Judge.objects.filter(project=project)))
    return digest([project.pk, *sorted(states.items())])


def _common(project: Project) -> list[Any]:
    # Both are lookups: an aggregate of 200,000 items takes SQLite 16 ms at each look.
    newest = Item.objects.filter(project=project).order_by("-changed_at", "-pk").values("changed_at")[:1]
    count = ItemCount.objects.filter(project=project).order_by().values("project").annotate(n=Sum("items")).values("n")
    jobs = Job.objects.filter(run__project=project, run__purpose="judge", state=Job.State.FAILED)
    authors = Author.objects.filter(project=project).order_by("pk").values_list("pk", "name", "sort")
    return [
        Project.objects.filter(pk=project.pk).values_list(*changes_of(AnswerChanges, project.pk).values()).get(),
        Project.objects.filter(pk=project.pk).values_list(Subquery(newest), Subquery(count)).get(),
        jobs.aggregate(newest=Max("ended_at"), n=Count("pk")),
        list(authors),
    ]


def digest(parts: Sequence[Any]) -> str:
    """A short name of these values for a cache key."""
    return sha256(repr(parts).encode("utf-8", "surrogatepass")).hexdigest()


# Source: a digest of the modules that compute a result.


ROOT = Path(__file__).resolve().parents[1]
IMPORT = re.compile(r"^[ \t]*(?:from ([\w.]+) import (\([^)]*\)|.*)|import ([\w.]+))", re.MULTILINE)
DISCOVERY = {"pkgutil", "lib.discovery"}  # who imports it finds modules of its folder at run time
SHORT = 16


class ModuleSource(NamedTuple):
    """sha256: of the file. imports: dotted names of modules, and of what may be a module or a name in one."""

    sha256: str
    imports: frozenset[str]


@cache
def source_digest(module: str, root: Path = ROOT) -> str:
    """A digest that changes with the source of the module and of all our modules that it imports, however far.

    root: the folder of annotate, judging and lib. Equal sources have equal digests in every process and every folder.
    A module that is not below root has the digest of nothing.
    """
    return digest(sorted(module_digests(module, root).items()))[:SHORT]


def module_digests(module: str, root: Path = ROOT) -> dict[str, str]:
    """Our modules that a module imports, however far, and the module itself -> the digest of each file."""
    digests: dict[str, str] = {}
    open_names = [module]
    while open_names:
        name = open_names.pop()
        if name not in digests and (source := _source(name, root)) is not None:
            digests[name] = source.sha256
            open_names.extend(source.imports)
    return digests


def _module_of(make: Callable[[], Any]) -> str:
    """The module whose code make() runs; of a partial, that of its function."""
    return _module_of(make.func) if isinstance(make, partial) else make.__module__


@cache
def _source(name: str, root: Path) -> ModuleSource | None:
    """None if the dotted name is no file below root."""
    stem = root.joinpath(*name.split("."))
    path = next((path for path in (stem.with_suffix(".py"), stem / "__init__.py") if path.is_file()), None)
    if path is None:
        return None
    source = path.read_bytes()
    text = source.decode()
    names = {name.rpartition(".")[0], *_imports(text)} - {""}
    if not DISCOVERY.isdisjoint(names):
        names.update(".".join(file.relative_to(root).with_suffix("").parts) for file in path.parent.rglob("*.py"))
    return ModuleSource(sha256(source).hexdigest(), frozenset(names))


def _imports(text: str) -> Iterator[str]:
    """Modules that are imported anywhere in the text, late imports included, and what is imported from them."""
    for package, names, module in IMPORT.findall(text):
        yield package or module
        yield from (f"{package}.{name}" for name in re.findall(r"\w+", names))
