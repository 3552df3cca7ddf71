"""A pytest plugin that runs mutants instead of the tests it collected: see `__main__.py`.

Everything is imported and the test database made once. Each run of tests is a forked process in which the code of the
changed functions is replaced.
"""

import ast
import builtins
import gc
import importlib
import json
import os
import signal
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import pytest

from scripts.mutants.sites import ROOT, Mutant, mutated, probed, shown, source

PROBE = "_a_mutant_is_reached"
SECONDS = 120  # for the tests of one mutant, which may never end

Key = tuple[str, str, int]
Functions = Mapping[Key, list[FunctionType]]


class Mutants:
    """results: the file to which outcomes are added. folder: for what processes tell each other."""

    def __init__(self, mutants: Sequence[Mutant], results: Path, folder: Path) -> None:
        self.results = results
        self.note = folder / "note.json"
        self.mutants = [mutant for mutant in mutants if mutant.id not in _killed(results)]

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        if session.testsfailed:
            raise session.Interrupted("tests could not be collected")
        _make_database(session)
        functions = _functions({mutant.path for mutant in self.mutants})
        self._in_child(session, lambda: self._reach(session, functions), seconds=0)
        reached: list[dict[str, Any]] = json.loads(self.note.read_text())
        print(f"\n{len(reached)} tests, {sum(test['failed'] for test in reached)} of them fail without any mutant")
        for mutant in self.mutants:
            self._judge(session, functions, mutant, reached)
        return True

    def _judge(
        self, session: pytest.Session, functions: Functions, mutant: Mutant, reached: Sequence[dict[str, Any]]
    ) -> None:
        """Run the mutant's tests and write down what became of it."""
        tests = [test for test in reached if mutant.id in test["mutants"] and not test["failed"]]
        tests.sort(key=lambda test: test["seconds"] * len(test["mutants"]))
        items = {item.nodeid: item for item in session.items}
        chosen = [items[test["test"]] for test in tests]
        self.note.write_text('""')
        begin = time.monotonic()
        code = 0 if not chosen else self._in_child(session, lambda: self._try(session, functions, mutant, chosen))
        outcome = {
            "id": mutant.id,
            "subject": mutant.subject,
            "outcome": {0: "survived", 1: "killed"}.get(code, "broke"),
            "by": json.loads(self.note.read_text()),
            "tests": len(chosen),
            "seconds": round(time.monotonic() - begin, 1),
        }
        with self.results.open("a", encoding="utf-8") as file:
            file.write(json.dumps(outcome) + "\n")
        print(f"{outcome['outcome']} {mutant.id} {outcome['tests']} tests, {outcome['seconds']} s", flush=True)
        if outcome["outcome"] != "killed":
            print(shown(mutant), flush=True)

    def _in_child(self, session: pytest.Session, work: Callable[[], int], seconds: int = SECONDS) -> int:
        """What `work` returns in a forked process; 1 if it takes too long."""
        child = os.fork()
        if child:
            status = os.waitpid(child, 0)[1]
            _end_group(child)
            code = os.waitstatus_to_exitcode(status)
            return 1 if code == -signal.SIGALRM else code
        code = 3
        try:
            os.setsid()
            signal.alarm(seconds)
            session.config.pluginmanager.unregister(name="terminalreporter")
            code = work()
        finally:
            os._exit(code)
        raise AssertionError("not reached")

    def _reach(self, session: pytest.Session, functions: Functions) -> int:
        """Run all tests once; notes which mutants each of them reaches, how long it takes and whether it fails."""
        mutants: set[str] = set()
        setattr(builtins, PROBE, mutants.add)
        by_path = defaultdict(list)
        for mutant in self.mutants:
            by_path[mutant.path].append(mutant)
        for path, here in by_path.items():
            _replace(functions, path, probed(path, here, PROBE))
        tests = []
        for item, seconds, failed in _run(session, session.items):
            tests.append({"test": item.nodeid, "mutants": sorted(mutants), "seconds": seconds, "failed": failed})
            mutants.clear()
        self.note.write_text(json.dumps(tests))
        return 0

    def _try(self, session: pytest.Session, functions: Functions, mutant: Mutant, items: Sequence[pytest.Item]) -> int:
        if not _replace(functions, mutant.path, mutated(mutant)):
            return 2
        for item, _seconds, failed in _run(session, items):
            if failed:
                self.note.write_text(json.dumps(item.nodeid))
                return 1
        return 0


def _killed(results: Path) -> set[str]:
    results.parent.mkdir(parents=True, exist_ok=True)
    lines = results.read_text(encoding="utf-8").splitlines() if results.exists() else []
    return {row["id"] for row in map(json.loads, lines) if row["outcome"] == "killed"}


def _make_database(session: pytest.Session) -> None:
    """Run one test of the database here, so that each process begins with the database made."""
    item = next(item for item in session.items if item.get_closest_marker("django_db"))
    apart = (other for other in reversed(session.items) if other.path.parts[-3] != item.path.parts[-3])
    other = next(apart, item)  # with a test that follows, what is made for all tests stays
    item.config.hook.pytest_runtest_protocol(item=item, nextitem=other)


def _functions(paths: set[str]) -> Functions:
    """The functions of these files as they live in memory, by file, name and first line."""
    for path in paths:
        importlib.import_module(path.removesuffix(".py").removesuffix("/__init__").replace("/", "."))
    gc.unfreeze()  # what is frozen is not listed
    functions: dict[Key, list[FunctionType]] = defaultdict(list)
    for value in gc.get_objects():
        if isinstance(value, FunctionType):
            code = value.__code__
            functions[code.co_filename, code.co_qualname, code.co_firstlineno].append(value)
    gc.freeze()
    return functions


def _replace(functions: Functions, path: str, tree: ast.Module) -> int:
    """Give every function of the file the code that it has in this tree. Returns how many changed."""
    file = str(ROOT / path)
    old = dict(_codes(compile(source(path), file, "exec", dont_inherit=True)))
    new = dict(_codes(compile(tree, file, "exec", dont_inherit=True)))
    changed = 0
    for key, code in new.items():
        if code == old.get(key):
            continue
        for function in functions.get((file, *key), []):
            function.__code__ = code
            changed += 1
    return changed


def _codes(code: CodeType) -> Iterator[tuple[tuple[str, int], CodeType]]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield (constant.co_qualname, constant.co_firstlineno), constant
            yield from _codes(constant)


def _run(session: pytest.Session, items: Sequence[pytest.Item]) -> Iterator[tuple[pytest.Item, float, bool]]:
    """Runs one test after the other: the test, its seconds, and whether it failed."""
    failures: list[str] = []

    class Listener:
        def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
            if report.failed:
                failures.append(report.nodeid)

    session.config.pluginmanager.register(Listener())
    for item, following in zip(items, [*items[1:], None], strict=True):
        begin = time.monotonic()
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        yield item, time.monotonic() - begin, item.nodeid in failures


def _end_group(leader: int) -> None:
    """End what the tests of a process left running."""
    try:
        os.killpg(leader, signal.SIGKILL)
    except ProcessLookupError:
        return
