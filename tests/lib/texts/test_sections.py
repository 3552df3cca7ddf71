import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.texts.sections import Scope, changes, governs, parsed

TEXT = """Before any heading.

# Feedback {fields: feedback}
One sentence.
## In code {groups: Coding, "Text, long"; example: item-7}
Name the line.
### Deeper {fields: checklist}
Even there.
## Elsewhere
As above.
"""


def titles(text: str) -> list[str]:
    return [section.title for section in parsed(text).sections]


def test_a_section_reaches_to_the_next_heading() -> None:
    first, feedback, code, *_rest = parsed(TEXT).sections
    assert (first.level, first.body.strip()) == (0, "Before any heading.")
    assert (feedback.title, feedback.body, feedback.line) == ("Feedback", "One sentence.", 3)
    assert (code.title, code.body, code.line) == ("In code", "Name the line.", 5)


def test_what_a_heading_does_not_say_it_has_from_the_one_above() -> None:
    _first, _feedback, code, deeper, elsewhere = parsed(TEXT).sections
    assert (code.fields, code.groups, code.examples) == (("feedback",), ("Coding", "Text, long"), ("item-7",))
    assert (deeper.fields, deeper.groups, deeper.examples) == (("checklist",), ("Coding", "Text, long"), ())
    assert (elsewhere.fields, elsewhere.groups) == (("feedback",), ())
    assert deeper.path == ("Feedback", "In code", "Deeper")


@pytest.mark.parametrize(
    "text",
    [
        "```\n# a {fields: x}\n```",
        "> # a {fields: x}",
        "- # a {fields: x}",
        "    # a {fields: x}",
        "#a {fields: x}",
    ],
)
def test_what_only_looks_like_a_heading_is_none(text: str) -> None:
    (only,) = parsed(text).sections
    assert (only.level, only.fields) == (0, ())


@pytest.mark.parametrize("title", ["Sets {a, b}", r"Times \{a: b}", "{fields: x} first", "Nothing {}"])
def test_other_braces_belong_to_the_title(title: str) -> None:
    document = parsed(f"# {title}")
    assert document.sections[0].title == title
    assert document.faults == ()


@pytest.mark.parametrize(
    ("braces", "fault"),
    [
        ("{feilds: x}", (2, "word", "feilds")),
        ("{fields: }", (2, "empty", "fields")),
        ("{groups: a; group: b}", (2, "twice", "group")),
    ],
)
def test_braces_that_cannot_be_read_name_their_line(braces: str, fault: tuple[int, str, str]) -> None:
    assert parsed(f"\n# A {braces}").faults == (fault,)


def test_braces_may_be_typed_with_a_chinese_keyboard() -> None:
    (section,) = parsed("## 清单 {fields：checklist，feedback；groups：“编程，脚本”}").sections
    assert (section.fields, section.groups) == (("checklist", "feedback"), ("编程，脚本",))


def test_line_breaks_of_any_system_count_as_one() -> None:
    assert [one.line for one in parsed("a\r\n# B\r# C").sections] == [1, 2, 3]


def test_an_unknown_group_may_be_any() -> None:
    _first, feedback, code, *_rest = parsed(TEXT).sections
    assert governs(code, "Coding", ["feedback", "checklist"])
    assert not governs(code, "Reasoning", ["feedback"])
    assert not governs(code, "Coding", ["checklist"])
    assert governs(code, "", ["feedback"])
    assert governs(feedback, "Reasoning")


def test_a_reworded_section_is_changed_and_only_that_one() -> None:
    (change,) = changes(TEXT, TEXT.replace("Name the line.", "Name the line and why."))
    assert (change.path, change.how) == (("Feedback", "In code"), "changed")
    assert change.scopes == (Scope(("feedback",), ("Coding", "Text, long")),)


def test_a_section_about_something_else_is_changed_for_both() -> None:
    (change,) = changes("# A {groups: x}\nSo.", "# A {groups: y}\nSo.")
    assert set(change.scopes) == {Scope((), ("x",)), Scope((), ("y",))}


def test_what_was_taken_out_is_a_change_too() -> None:
    assert [(one.title, one.how) for one in changes("# A\nSo.\n# B\nNot.", "# A\nSo.\n# C\nNew.")] == [
        ("C", "added"),
        ("B", "removed"),
    ]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("# A\nOne two.", "# A\n\nOne\ntwo.\n"),
        ("# A\nOne.\n# B\nTwo.", "# B\nTwo.\n# A\nOne."),
        ("# A\nOne.", "# Another name\nOne."),
        ("# A\nOne.", "# A {example: k}\nOne."),
        ("# A\n## B\nOne.", "# C\n## B\nOne."),
        ("# A", "# A\n# B"),
    ],
)
def test_what_changes_no_rule_is_no_change(old: str, new: str) -> None:
    assert changes(old, new) == []


def test_sections_with_one_title_are_told_apart_by_their_order() -> None:
    (change,) = changes("# A\nOne.\n# A\nTwo.", "# A\nOne.\n# A\nThree.")
    assert change.how == "changed"


@given(st.text(alphabet=st.sampled_from('# \n{}:;,"abfields`>-='), max_size=200))
def test_no_text_differs_from_itself_and_lines_only_grow(text: str) -> None:
    lines = [one.line for one in parsed(text).sections]
    assert changes(text, text) == []
    assert lines == sorted(set(lines))


def test_a_text_that_is_slow_to_parse_is_read() -> None:
    assert titles(">" * 20_000 + "\n\n# A")[-1] == "A"
