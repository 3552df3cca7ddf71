import pytest

from lib.texts.markdown import render


def inline(tex: str) -> str:
    return f'<span class="math" data-math="inline">{tex}</span>'


def block(tex: str) -> str:
    return f'<div class="math" data-math="block">{tex}</div>'


@pytest.mark.parametrize(
    ("written", "tex"),
    [
        ("$x$", "x"),
        ("$a_1 * b_2 * c$", "a_1 * b_2 * c"),
        ("$5$", "5"),
        ("$ y = x^2 $", "y = x^2"),
        ("$ n $", "n"),
        ("$ f(x) $", "f(x)"),
        ("$P(A) = \\frac{1}{10} $", "P(A) = \\frac{1}{10}"),
        ("$3-1/3=8/3$", "3-1/3=8/3"),
        ("$\\frac{1}{2}$", "\\frac{1}{2}"),
        ("$a\\$b$", "a\\$b"),
        ("$a<b$", "a&lt;b"),
        ("\\(x_1 + x_2\\)", "x_1 + x_2"),
        ("\\( \\{1\\} \\)", "\\{1\\}"),
    ],
)
def test_inline_formulas_keep_their_source(written: str, tex: str) -> None:
    assert render(f"so {written}, thus") == f"<p>so {inline(tex)}, thus</p>\n"
    assert render(f"函数{written}是") == f"<p>函数{inline(tex)}是</p>\n"


def test_indices_and_powers_may_touch_what_they_belong_to() -> None:
    assert render("2b$^{2}$c + P$_n$") == f"<p>2b{inline('^{2}')}c + P{inline('_n')}</p>\n"


@pytest.mark.parametrize(
    "text",
    [
        "$5 and $6",
        "It costs $5, not 6$ or $7.",
        "US$5 or A$6",
        "between $5 - $6",
        "$HOME and $PATH",
        "$HOME/$USER",
        "in $ or $",
        "from $ 5 to $ 6",
        "100$",
        "$",
        "$$",
        "$ $",
        "a $x",
        "\\$x\\$",
        "\\(",
        "\\( \\)",
    ],
)
def test_money_and_variables_are_not_formulas(text: str) -> None:
    assert "math" not in render(text)


@pytest.mark.parametrize(
    "written",
    [
        "$$\nx_1\n$$",
        "$$x_1$$",
        "\\[ x_1 \\]",
        "\\[\nx_1\n\\]",
    ],
)
def test_display_formulas_stand_alone(written: str) -> None:
    assert render(written) == f"{block('x_1')}\n"
    assert render(f"text:\n{written}\nmore") == f"<p>text:</p>\n{block('x_1')}\n<p>more</p>\n"
    assert block("x_1") in render("> " + written.replace("\n", "\n> "))
    assert block("x_1") in render("- a\n\n  " + written.replace("\n", "\n  "))


@pytest.mark.parametrize("written", ["$$x$$", "\\[x\\]"])
def test_a_display_formula_in_a_sentence_stays_in_it(written: str) -> None:
    assert render(f"so {written} holds") == '<p>so <span class="math" data-math="block">x</span> holds</p>\n'


def test_a_display_formula_of_several_lines_keeps_them() -> None:
    tex = "a \\\\\n  *b*"
    assert render(f"$$\n{tex}\n$$") == f"{block(tex)}\n"


def test_a_named_environment_is_a_display_formula() -> None:
    tex = "\\begin{align*}\na &= b\n\\end{align*}"
    assert render(tex) == block(tex.replace("&", "&amp;")) + "\n"


@pytest.mark.parametrize("text", ["$$\na", "$$\na\n\nb\n$$", "\\[\na\n\nb\n\\]", "\\begin{align}\na", "    $$x$$"])
def test_what_is_never_closed_is_text(text: str) -> None:
    assert "math" not in render(text)


@pytest.mark.parametrize("text", ["`$x$`", "```\n$x$\n```", "`\\(x\\)`"])
def test_code_holds_no_formulas(text: str) -> None:
    assert "math" not in render(text)


def test_a_formula_ends_with_its_list_item() -> None:
    assert "math" not in render("- $$\n  a\n\noutside $$")
