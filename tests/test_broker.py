"""The broker of files: whatever a killed process leaves behind, messages arrive, and each of them once."""

from pathlib import Path
from queue import Empty
from threading import Thread

import pytest
from kombu import Connection
from kombu.simple import SimpleQueue

QUEUE = "celery"


def connected(folder: Path) -> Connection:
    options = dict.fromkeys(["data_folder_in", "data_folder_out", "control_folder"], str(folder))
    return Connection("filesystem://", transport="config.broker:Transport", transport_options=options)


@pytest.fixture
def queue(tmp_path: Path) -> SimpleQueue:
    return connected(tmp_path).SimpleQueue(QUEUE)


def received(queue: SimpleQueue) -> list[object]:
    payloads = []
    while True:
        try:
            payloads.append(queue.get_nowait().payload)
        except Empty:
            return payloads


def test_messages_arrive_in_their_order(queue: SimpleQueue, tmp_path: Path) -> None:
    for number in range(20):
        queue.put(number)
    assert received(connected(tmp_path).SimpleQueue(QUEUE)) == list(range(20))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("left", ["", '{"body": "W10', "\0" * 40])
def test_a_message_that_a_power_cut_has_cut_short_is_skipped(queue: SimpleQueue, tmp_path: Path, left: str) -> None:
    (tmp_path / f"1_1.{QUEUE}.msg").write_text(left)
    queue.put("whole")
    assert received(queue) == ["whole"]
    assert list(tmp_path.iterdir()) == []


def test_a_message_is_invisible_until_it_is_written(
    queue: SimpleQueue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process looks into the folder while the file is there and its text is not."""
    seen = []
    write = Path.write_text

    def slowly(path: Path, text: str) -> int:
        path.touch()
        seen.append(received(connected(tmp_path).SimpleQueue(QUEUE)))
        return write(path, text)

    monkeypatch.setattr(Path, "write_text", slowly)
    queue.put("whole")
    assert seen == [[]]
    assert received(queue) == ["whole"]


def test_a_ring_is_heard_after_the_folder_was_emptied(queue: SimpleQueue, tmp_path: Path) -> None:
    queue.put("lost")
    for path in tmp_path.rglob("*"):
        path.unlink()
    queue.put("heard")
    assert received(queue) == ["heard"]


def test_each_message_is_received_once(queue: SimpleQueue, tmp_path: Path) -> None:
    payloads: list[object] = []

    def receive() -> None:
        payloads.extend(received(connected(tmp_path).SimpleQueue(QUEUE)))

    for number in range(200):
        queue.put(number)
    threads = [Thread(target=receive) for _number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(payloads, key=str) == sorted(range(200), key=str)
