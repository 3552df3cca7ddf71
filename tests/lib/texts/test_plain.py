import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.texts.plain import LONGEST, plain_line, shortened, tex_as_text


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("Solve $x^2 + 1 = 0$ for `x`", "Solve x² + 1 = 0 for x"),
        ("# Why is **this** _so_?", "Why is this so?"),
        ("Use snake_case and 2*3*4", "Use snake_case and 2*3*4"),
        ("It costs $5 and $10", "It costs $5 and $10"),
        ("See [the guide](https://example.com/x)", "See the guide"),
        ("A line<br>and <b>bold</b> text", "A line and bold text"),
        ("What does <div> do?", "What does <div> do?"),
        ("Fish &amp; chips", "Fish & chips"),
        (r"Let \(\frac{a+b}{2} \leq \sqrt{ab}\)", "Let (a+b)/2 ≤ √(ab)"),
        ("> quoted ~~not~~ so", "quoted not so"),
        ("```python print(1) ```", "print(1)"),
        ("请计算 $\\alpha_{1}$ 的值", "请计算 α₁ 的值"),
        ("", ""),
    ],
)
def test_a_title_reads_without_its_marks(written: str, read: str) -> None:
    assert plain_line(written) == read


@pytest.mark.parametrize(
    ("source", "read"),
    [
        (r"x^{10} + y_{12}", "x¹⁰ + y₁₂"),
        (r"e^{i\pi} = -1", "e^(iπ) = -1"),
        (r"\frac{1}{2}", "1/2"),
        (r"\sum_{i=1}^{n} \mathbf{x}_i", "∑_(i=1)ⁿ x_i"),
        (r"90^\circ", "90°"),
        (r"\unknown{x}", "unknownx"),
    ],
)
def test_a_formula_is_written_in_characters(source: str, read: str) -> None:
    assert tex_as_text(source) == read


def test_a_title_that_was_cut_ends_after_a_word() -> None:
    title = ("word " * 40)[: LONGEST - 2] + "cu"
    assert len(title) == LONGEST
    assert plain_line(title).endswith("word…")


def test_a_title_that_was_cut_loses_marks_that_were_never_closed() -> None:
    title = "a" * 100 + r" **bold and $\frac{1}{2} + x" + " y" * 40
    assert "**" not in plain_line(title[:LONGEST])
    assert "$" not in plain_line(title[:LONGEST])


def test_a_text_without_blanks_is_cut_where_it_is() -> None:
    assert plain_line("字" * LONGEST) == "字" * LONGEST + "…"
    assert shortened("字" * 50, 20) == "字" * 19 + "…"
    assert shortened("some short words", 12) == "some short…"


@given(st.text(max_size=200))
def test_any_text_gives_a_line(text: str) -> None:
    line = plain_line(text)
    assert "\n" not in line
    assert line == line.strip()
    assert len(shortened(text, 40)) <= 40
