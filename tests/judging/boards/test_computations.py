"""Figures that are too slow for a page: a worker computes them once, and a page shows how far it is."""

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from time import time
from typing import Any

import pytest
from django.core.cache import caches
from django.db import OperationalError
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from annotate.models import Member, Project
from judging import patience, results
from judging.boards import computations
from judging.boards.board import reports
from judging.boards.report import ReportOptions, ReportOutput
from judging.cache import cached
from judging.chores import compute_board
from judging.management.commands import report
from judging.models import BoardComputation, Judge
from lib import progress
from tests.support.files import command
from tests.support.judged import CORRECTION, a_judge, answer_of, decided_item, verdict_on
from tests.support.people import make_member, make_project

pytestmark = pytest.mark.django_db
BACKEND = "django.contrib.auth.backends.ModelBackend"


@pytest.fixture(autouse=True)
def slow(monkeypatch: pytest.MonkeyPatch, settings: Settings, tmp_path: Path) -> Iterator[None]:
    """Nothing is remembered, and everything that was never measured counts as slow."""
    settings.DATA_DIR = tmp_path
    monkeypatch.setattr(patience, "SMALL", 0)
    monkeypatch.setattr(patience, "PER_ROW", 1000.0)
    for name in ("local", "default"):
        caches[name].clear()
    yield
    caches["local"].clear()


@pytest.fixture
def project() -> Project:
    return make_project()


@pytest.fixture
def judge(project: Project) -> Judge:
    judge = a_judge(project)
    judged(project, judge)
    return judge


@pytest.fixture
def lead(project: Project, judge: Judge) -> Member:
    return make_member(project, "lead")


def judged(project: Project, judge: Judge, author: str = "Alpha") -> None:
    verdict_on(answer_of(decided_item(project, CORRECTION), author), judge, (1, 0))


def client_of(member: Member) -> Client:
    client = Client()
    client.force_login(member.user, backend=BACKEND)
    return client


def look(member: Member, path: str = "leaderboard/", **headers: str) -> HttpResponse:
    answer: Any = client_of(member).get(f"/p/{member.project.slug}/{path}", headers=headers)
    return answer


def work() -> None:
    """What a worker does with all that waits."""
    for pk in compute_board.leases.claimable():
        compute_board.work(pk)


def forget_process() -> None:
    """As in another process, which has nothing in its memory."""
    caches["local"].clear()


def test_the_first_look_asks_a_worker_and_the_next_one_shows_the_figures(lead: Member) -> None:
    waiting = look(lead)
    assert waiting.status_code == 202
    assert waiting["Retry-After"] == "2"
    assert "Alpha" not in waiting.content.decode()
    work()
    forget_process()
    shown = look(lead)
    assert (shown.status_code, "Alpha" in shown.content.decode()) == (200, True)
    assert 'id="computing"' not in shown.content.decode()


def test_however_often_it_is_asked_for_it_is_one_job(lead: Member, project: Project) -> None:
    for member in (lead, make_member(project, "viewer"), lead):
        assert look(member).status_code == 202
    assert look(lead, "leaderboard/?sort=author").status_code == 202  # other options
    assert [row.state for row in BoardComputation.objects.all()] == ["waiting", "waiting"]
    work()
    assert not compute_board.leases.claimable()
    assert look(make_member(project, "viewer")).status_code == 200


def test_changed_data_show_the_old_figures_until_the_new_ones_are_ready(
    lead: Member, project: Project, judge: Judge
) -> None:
    look(lead)
    work()
    judged(project, judge, "Beta")
    old = look(lead)
    text = old.content.decode()
    assert (old.status_code, "Alpha" in text, "Beta" in text, 'id="computing"' in text) == (200, True, False, True)
    work()
    new = look(lead).content.decode()
    assert ("Beta" in new, 'id="computing"' in new) == (True, False)


def test_superseded_results_are_deleted(lead: Member, project: Project, judge: Judge, tmp_path: Path) -> None:
    look(lead)
    work()
    before = set((tmp_path / results.FOLDER).iterdir())
    judged(project, judge, "Beta")
    look(lead)
    work()
    after = set((tmp_path / results.FOLDER).iterdir())
    assert before
    assert after
    assert not before & after


@pytest.mark.parametrize("ending", ["json", "csv"])
def test_a_program_is_told_where_to_ask_again(lead: Member, ending: str) -> None:
    path = f"leaderboard/leaderboard.{ending}"
    answer = look(lead, path)
    told = json.loads(answer.content)
    assert (answer.status_code, answer["Retry-After"], told["state"]) == (202, "2", "waiting")
    client = client_of(lead)
    assert client.get(told["computation"]).json()["state"] == "waiting"
    work()
    assert client.get(told["computation"]).json()["state"] == "done"
    assert client.get(told["address"]).status_code == 200


def test_htmx_follows_the_progress_and_then_loads_the_page(lead: Member) -> None:
    look(lead)
    computation = BoardComputation.objects.get()
    path = f"computations/{computation.pk}/"
    BoardComputation.objects.update(phase="resampling", done=30, total=120)
    assert "30 of 120" in look(lead, path, hx_request="true").content.decode()
    work()
    assert look(lead, path, hx_request="true")["HX-Refresh"] == "true"
    assert look(lead, path).headers["Location"] == computation.address


def test_a_stopped_computation_stays_stopped_until_a_person_or_new_data_begins_it_again(
    lead: Member, project: Project, judge: Judge
) -> None:
    look(lead)
    computation = BoardComputation.objects.get()
    address = f"/p/{project.slug}/computations/{computation.pk}"
    assert client_of(lead).post(f"{address}/stop/").status_code == 302
    work()
    assert look(lead).status_code == 202
    assert states() == ["stopped"]
    client_of(lead).post(f"{address}/again/")
    assert states() == ["waiting"]
    client_of(lead).post(f"{address}/stop/")
    judged(project, judge, "Beta")
    look(lead)
    assert states() == ["waiting"]


def states() -> list[str]:
    return list(BoardComputation.objects.values_list("state", flat=True))


def test_a_stopped_worker_stores_nothing(lead: Member, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped_meanwhile(address: str, user: object) -> HttpResponse:
        computations.stop(BoardComputation.objects.get())
        progress.report("resampling", 1, 2)
        raise AssertionError("The worker went on.")

    look(lead)
    monkeypatch.setattr(computations, "_answer", stopped_meanwhile)
    work()
    assert states() == ["stopped"]
    assert BoardComputation.objects.get().results == {}


def test_what_a_killed_worker_had_is_taken_up_by_another(lead: Member, monkeypatch: pytest.MonkeyPatch) -> None:
    class Killed(BaseException):
        pass

    def killed(address: str, user: object) -> HttpResponse:
        raise Killed

    look(lead)
    with monkeypatch.context() as patched:
        patched.setattr(computations, "_answer", killed)
        with pytest.raises(Killed):
            work()
    work()
    assert states() == ["waiting"]  # its lease still runs
    BoardComputation.objects.update(lease_until=timezone.now())
    work()
    assert (states(), look(lead).status_code) == (["done"], 200)


def test_figures_at_which_worker_after_worker_dies_are_given_up(lead: Member) -> None:
    look(lead)
    BoardComputation.objects.update(attempts=computations.DEATHS)
    work()
    assert states() == ["failed"]
    assert "could not be computed" in look(lead).content.decode()


def test_an_error_is_stored_and_not_repeated(lead: Member, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(address: str, user: object) -> HttpResponse:
        raise ZeroDivisionError

    look(lead)
    monkeypatch.setattr(computations, "_answer", broken)
    work()
    look(lead)
    assert states() == ["failed"]


def test_the_lead_who_left_computes_nothing(lead: Member) -> None:
    look(lead)
    lead.delete()
    work()
    assert states() == ["failed"]


@pytest.mark.parametrize(("role", "status"), [("viewer", 200), ("annotator", 403), ("", 404)])
def test_access_is_that_of_the_board(lead: Member, project: Project, role: str, status: int) -> None:
    look(lead)
    computation = BoardComputation.objects.get()
    member = make_member(project, role) if role else make_member(make_project(), "lead")
    client = client_of(member)
    address = f"/p/{project.slug}/computations/{computation.pk}"
    assert client.get(f"{address}/status.json").status_code == status
    assert client.post(f"{address}/stop/").status_code == (302 if status == 200 else status)
    assert states() == ["stopped" if status == 200 else "waiting"]


def test_the_page_says_so_in_chinese_and_whether_a_worker_runs(lead: Member, tmp_path: Path) -> None:
    lead.user.language = "zh-hans"
    lead.user.save()
    assert "manage.py reconcile" in look(lead).content.decode()
    (tmp_path / "worker-alive").touch()
    page = look(lead).content.decode()
    assert "manage.py reconcile" not in page
    assert "后台" in page


def test_what_was_measured_as_quick_is_computed_by_the_page(lead: Member, project: Project, judge: Judge) -> None:
    for sort in ("scores", "board", "marked", "breakdown", "breakdown-intervals"):
        caches["default"].set(f"judging:seconds:{sort}", (0.01, 1000), None)
    assert look(lead).status_code == 200
    caches["default"].set("judging:seconds:scores", (3.0, 1000), None)
    judged(project, judge, "Beta")
    assert look(lead).status_code == 202


def test_a_page_waits_two_seconds_for_all_results_together(project: Project, judge: Judge) -> None:
    caches["default"].set("judging:seconds:part", (1.5, 1000), None)

    def part(name: str) -> Callable[[], str]:
        return lambda: name

    with patience.waiting(project) as waiting:
        assert cached("part:one", "now", part("one")) == "one"
        waiting.seconds -= 1.5
        with pytest.raises(patience.Slow):
            cached("part:two", "now", part("two"))
    assert waiting.missed
    assert cached("part:two", "now", part("two")) == "two"  # a command waits as long as it takes


def test_results_of_one_name_are_never_mixed_up() -> None:
    with pytest.raises(results.NothingOlder), results.older({"scores": ["one", "two"]}):
        raise AssertionError
    with results.older({"scores": ["gone"]}), pytest.raises(results.NothingOlder):
        cached("scores", "now", dict)


def test_old_results_and_those_beyond_the_limit_are_deleted(monkeypatch: pytest.MonkeyPatch) -> None:
    results.write("one", list(range(100)))
    assert results.read("one") == list(range(100))
    monkeypatch.setattr(results, "MOST_BYTES", 10)
    results.write("two", list(range(100)))
    assert (results.read("one"), results.read("two")) == (None, None)


def test_a_command_says_how_far_it_is(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    def write(project: Project, options: ReportOptions) -> ReportOutput:
        progress.report("reading", 2000, 0)
        progress.report("resampling", 30, 1000)
        return ReportOutput({"n": 1}, "1")

    monkeypatch.setattr(report, "EVERY", 0.0)
    monkeypatch.setattr(reports()["leaderboard"], "write", write)
    code, value, err = command("report", project.slug, "leaderboard")
    assert (code, value) == (0, {"n": 1})
    assert err.splitlines() == ["reading: 2,000", "resampling: 30 of 1,000"]


def test_progress_that_sqlite_cannot_store_now_is_no_error(lead: Member, monkeypatch: pytest.MonkeyPatch) -> None:
    def locked(*_row: object, **_columns: object) -> None:
        raise OperationalError("database is locked")

    look(lead)
    with monkeypatch.context() as patched:
        patched.setattr(computations.leases, "keep", locked)
        computations._Heartbeat().store(BoardComputation.objects.get(), "reading", 1, 2)
    assert states() == ["waiting"]


# --- remembered results -----------------------------------------------------------------------------------------------
def test_the_memory_of_a_process_is_limited_in_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "LIVE_BYTES", 100)
    live = results._LiveObjects()
    for name in ("a", "b", "c"):
        live.put(Path(name), changed=1, size=40, value=name)
    assert [live.get(Path(name), 1) for name in ("a", "b", "c")] == [None, "b", "c"]


def test_a_result_that_is_still_read_stays_young(tmp_path: Path) -> None:
    results.write("key", [1])
    [path] = (tmp_path / results.FOLDER).iterdir()
    two_hours_ago = time() - 2 * results.TOUCHED_AFTER
    os.utime(path, (two_hours_ago, two_hours_ago))
    assert results.read("key") == [1]
    assert path.stat().st_mtime == pytest.approx(two_hours_ago, abs=1), "read from the file, not yet from memory"
    assert results.read("key") == [1]
    assert path.stat().st_mtime > two_hours_ago + results.TOUCHED_AFTER


def test_a_disk_without_room_costs_the_result_and_not_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_room(*_arguments: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(results.pickle, "dump", no_room)
    results.write("key", [1])
    assert results.read("key") is None
    assert not list((tmp_path / results.FOLDER).iterdir())


def test_after_an_erasure_nothing_is_remembered(tmp_path: Path) -> None:
    results.write("key", ["words"])
    results.write("other", ["words"])
    results.forget_all()
    assert (results.read("key"), results.read("other")) == (None, None)


def test_a_page_that_is_refreshed_in_parts_is_loaded_anew_while_a_worker_computes(lead: Member) -> None:
    assert look(lead, hx_request="true")["HX-Refresh"] == "true"


def test_old_figures_that_do_not_fit_new_data_are_not_shown(
    lead: Member, project: Project, judge: Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    look(lead)
    work()
    assert look(lead).status_code == 200
    judged(project, judge, "Beta")

    def not_fitting(_keys: object) -> None:
        raise KeyError("Beta")

    monkeypatch.setattr(results, "older", not_fitting)
    assert look(lead).status_code == 202


def test_a_computation_of_a_board_that_is_gone_is_not_there(lead: Member, project: Project) -> None:
    look(lead)
    BoardComputation.objects.update(board="removed")
    pk = BoardComputation.objects.get().pk
    assert look(lead, f"computations/{pk}/").status_code == 404
