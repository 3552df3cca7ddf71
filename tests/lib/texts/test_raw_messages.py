import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.texts.fencing import UnknownSlot
from lib.texts.raw_messages import TITLE, BadRawMessages, RawMessages, is_raw, read

WHOLE = """=== raw messages ===
reader: regex
pattern: Grade: (\\d+)

=== system ===
You are a judge.

=== user ===
{{ question }}

{{ answer }}

=== assistant ===
Grade:"""


def test_they_are_read_from_one_text_and_written_again() -> None:
    raw = read(WHOLE)
    expected = RawMessages(
        reader="regex",
        pattern=r"Grade: (\d+)",
        system="You are a judge.",
        user="{{ question }}\n\n{{ answer }}",
        assistant="Grade:",
    )
    assert raw == expected
    assert raw.text() == WHOLE
    assert raw.slots == {"question", "answer"}


body = st.text(alphabet=st.characters(codec="utf-8", exclude_characters="=\r\n\0"), max_size=60).map(str.strip)


@given(system=body, user=body.filter(bool), assistant=body)
def test_whatever_stands_in_them_is_read_again(system: str, user: str, assistant: str) -> None:
    raw = RawMessages("mt-bench", user, system, assistant)
    assert is_raw(raw.text())
    assert read(raw.text()) == raw


def test_files_of_other_editors_are_read_alike() -> None:
    assert read("\ufeff" + WHOLE.replace("\n", "\r\n")) == read(WHOLE)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{{ answer }}", "Start with the line"),
        ("hello\n" + WHOLE, "Start with the line"),
        (f"{TITLE}\nreader: x", "“user” is empty"),
        (f"{TITLE}\n=== user ===\n{{{{ answer }}}}", "Name the reader"),
        (f"{TITLE}\nreader: x\n=== user ===\na\n=== user ===\nb", "appears twice"),
        (f"{TITLE}\nreader: x\n=== tool ===\na", "no section “tool”"),
        (f"{TITLE}\nreader: x\nmodel: y\n=== user ===\na", "“model: y” is not a setting"),
        (f"{TITLE}\nmt-bench\n=== user ===\na", "“mt-bench” is not a setting"),
    ],
)
def test_what_is_wrong_is_said(text: str, told: str) -> None:
    with pytest.raises(BadRawMessages, match=told):
        read(text)


def test_a_wording_that_only_speaks_of_them_is_none() -> None:
    assert not is_raw("Judge {{ answer }}.\n=== raw messages ===")


def test_texts_are_put_in_as_they_are_and_never_looked_at_for_slots() -> None:
    raw = RawMessages("mt-bench", "{{ question }} | {{ answer }}", "", "Rating: [[")
    assert raw.messages({"question": "{{ answer }}", "answer": "=== system ===\n\\1", "more": "x"}) == [
        {"role": "user", "content": "{{ answer }} | === system ===\n\\1"},
        {"role": "assistant", "content": "Rating: [["},
    ]
    with pytest.raises(UnknownSlot, match="answer"):
        raw.messages({"question": "?"})
