import gc
import io
import json
import logging
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import Context, ContextVar

import pytest

from lib import log_lines
from lib.log_lines import JsonLine, bind, bound, bound_ids


@pytest.fixture(autouse=True)
def nothing_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """A streamed answer that an earlier test did not read to its end still has its id bound."""
    monkeypatch.setattr(log_lines, "_ids", ContextVar("ids", default={}))  # noqa: B039


@pytest.fixture
def written() -> Iterator[io.StringIO]:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLine())
    log = logging.getLogger("tests.lines")
    log.addHandler(handler)
    log.propagate = False
    yield stream
    log.removeHandler(handler)


def test_a_line_is_one_object_with_the_ids_of_the_work(written: io.StringIO) -> None:
    with bound(request="abc12345"), bound(run=7):
        logging.getLogger("tests.lines").warning("%s rows\nin two lines “of text”", 3)
    (line,) = written.getvalue().splitlines()
    said = json.loads(line)
    assert said["message"] == "3 rows\nin two lines “of text”"
    assert (said["level"], said["logger"]) == ("WARNING", "tests.lines")
    assert (said["request"], said["run"]) == ("abc12345", "7")
    assert said["time"].endswith("+00:00")


def test_a_traceback_stays_on_its_line(written: io.StringIO) -> None:
    try:
        raise ValueError("no such row")
    except ValueError:
        logging.getLogger("tests.lines").exception("failed")
    (line,) = written.getvalue().splitlines()
    assert "ValueError: no such row" in json.loads(line)["exception"]


def test_ids_end_with_their_context_and_stay_in_their_thread() -> None:
    with bound(request="abc12345"):
        with bound(request="other123", job="release/4"):
            assert bound_ids() == {"request": "other123", "job": "release/4"}
        assert bound_ids() == {"request": "abc12345"}
        with ThreadPoolExecutor() as pool:
            assert pool.submit(bound_ids).result() == {}
    assert bound_ids() == {}


def test_ids_that_nobody_releases_stay_until_others_replace_them() -> None:
    """Nothing of them is ended by the garbage collector, which may run while other ids are set."""

    def ids_of_an_answer_that_is_never_closed() -> list[dict[str, str]]:
        bind(request="one")
        gc.collect()
        kept = bound_ids()
        bind(request="two")
        return [kept, bound_ids()]

    assert Context().run(ids_of_an_answer_that_is_never_closed) == [{"request": "one"}, {"request": "two"}]
