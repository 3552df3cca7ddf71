"""What the program that reads PDF files prints, and when it says that there is no PDF without metadata."""

import io
import resource
import sys

import pytest
from pypdf import PdfReader, PdfWriter

from lib.media import pdf_program
from lib.media.pdf_program import Stopped
from tests.support.pictures import pdf, written

Capture = pytest.CaptureFixture[bytes]


@pytest.fixture
def limits(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, tuple[int, int]]]:
    """The limits that the program sets itself; the process of the tests keeps its own."""
    limits: list[tuple[int, tuple[int, int]]] = []
    monkeypatch.setattr(resource, "setrlimit", lambda limit, most: limits.append((limit, most)))
    return limits


def printed(data: bytes, monkeypatch: pytest.MonkeyPatch, output: Capture) -> bytes:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    pdf_program.main("5000")
    return output.readouterr().out


def test_a_pdf_follows_a_full_stop(
    limits: list[tuple[int, tuple[int, int]]], monkeypatch: pytest.MonkeyPatch, capfdbinary: Capture
) -> None:
    output = printed(pdf(2, Author="Ann"), monkeypatch, capfdbinary)
    assert output[:1] == b"."
    assert len(PdfReader(io.BytesIO(output[1:])).pages) == 2
    assert b"Ann" not in output
    assert limits == [(resource.RLIMIT_DATA, (5000, 5000)), (resource.RLIMIT_CPU, (20, 20))]


@pytest.mark.usefixtures("limits")
def test_the_cause_follows_an_exclamation_mark(monkeypatch: pytest.MonkeyPatch, capfdbinary: Capture) -> None:
    assert printed(pdf()[:200], monkeypatch, capfdbinary) == b"!damaged"


@pytest.mark.usefixtures("limits")
@pytest.mark.parametrize("fault", [MemoryError, RecursionError])
def test_a_pdf_that_needs_too_much_is_one_cause(
    fault: type[Exception], monkeypatch: pytest.MonkeyPatch, capfdbinary: Capture
) -> None:
    def too_much(_reader: PdfReader) -> None:
        raise fault

    monkeypatch.setattr(pdf_program, "_clean", too_much)
    assert printed(pdf(), monkeypatch, capfdbinary) == b"!memory"


def test_a_stricter_limit_of_the_system_holds_and_is_no_fault(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: Capture
) -> None:
    def not_allowed(_limit: int, _most: tuple[int, int]) -> None:
        raise ValueError("not allowed to raise maximum limit")

    monkeypatch.setattr(resource, "setrlimit", not_allowed)
    assert printed(pdf(), monkeypatch, capfdbinary)[:5] == b".%PDF"


def test_a_pdf_without_pages_is_damaged() -> None:
    with pytest.raises(Stopped, match="damaged"):
        pdf_program.without_metadata(written(PdfWriter()))


def test_a_pdf_that_becomes_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    data = pdf(3)
    monkeypatch.setattr(pdf_program, "MOST_BYTES", 300)
    with pytest.raises(Stopped, match="memory"):
        pdf_program.without_metadata(data)
