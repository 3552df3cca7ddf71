"""A line of Markdown, HTML and TeX as plain readable text: for titles in lists, where nothing is typeset."""

import re
from functools import cache, lru_cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

from lib.texts.markdown_formulas import mathematics

LONGEST = 160  # of a stored title: one of this length was cut, perhaps within a word
NEAR = 30  # a cut moves back to the last blank within so many characters; texts without blanks are cut where they are

_BLOCK = re.compile(r"^(?:\s*(?:#{1,6}|>|[-*+])\s+)+|^\s*```[\w+-]*\s*|\s*```\s*$")
# Tags that only shape a text; others, such as <div>, may be what a question is about.
_TAG = re.compile(r"</?(?:p|br|b|i|u|s|em|strong|span|font|sub|sup|small|center)\b[^<>]*>", re.IGNORECASE)
_OPEN_FORMULA = re.compile(r"\$\$?(?=\S)([^$]*\\[A-Za-z][^$]*)$")
_OPEN_MARK = re.compile(r"(?<!\w)(?:\*\*|__|~~|`+)(?=\S)")
_PRODUCT = re.compile(r"(?<=\w)\*(?=\w)")  # 2*3*4: no emphasis
_BLANKS = re.compile(r"\s+")


@lru_cache(maxsize=4096)
def plain_line(text: str) -> str:
    """The text without marks of Markdown and tags, formulas in characters (x², ≤, α), blanks joined.

    A text as long as LONGEST was cut: it loses marks that were not closed any more, and ends after a word, with "…".
    """
    was_cut = len(text) >= LONGEST
    line = _PRODUCT.sub(r"\*", _TAG.sub(" ", _BLOCK.sub(" ", text)))
    text_shown = "".join(_shown(token) for token in _parser().parseInline(line)[0].children or ())
    if was_cut:
        text_shown = _OPEN_MARK.sub("", _OPEN_FORMULA.sub(lambda formula: tex_as_text(formula[1]), text_shown))
    text_shown = _BLANKS.sub(" ", text_shown).strip()
    return f"{_at_word(text_shown)}…" if was_cut else text_shown


def shortened(text: str, most: int) -> str:
    """At most this many characters, ended after a word with "…" where something is left out."""
    return text if len(text) <= most else f"{_at_word(text[: most - 1])}…"


def _at_word(text: str) -> str:
    blank = text.rfind(" ")
    cut = text[:blank] if blank > 0 and len(text) - blank <= NEAR else text
    return cut.rstrip(" ,;:.-–—(…")


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable(["strikethrough"]).use(mathematics)


def _shown(token: Token) -> str:
    if token.type == "math_inline":
        return tex_as_text(token.content)
    return " " if token.type in ("softbreak", "hardbreak") else token.content


# TeX in characters: not exact, but what a reader recognises.


_TABLE = """
alpha α beta β gamma γ delta δ epsilon ε varepsilon ε zeta ζ eta η theta θ iota ι kappa κ lambda λ mu μ nu ν xi ξ pi π
rho ρ sigma σ tau τ upsilon υ phi φ varphi φ chi χ psi ψ omega ω Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ
Phi Φ Psi Ψ Omega Ω times × cdot · div ÷ pm ± mp ∓ leq ≤ le ≤ geq ≥ ge ≥ neq ≠ ne ≠ approx ≈ equiv ≡ sim ∼ infty ∞
sum ∑ prod ∏ int ∫ partial ∂ nabla ∇ in ∈ notin ∉ subset ⊂ subseteq ⊆ cup ∪ cap ∩ forall ∀ exists ∃ neg ¬ land ∧
lor ∨ to → rightarrow → leftarrow ← mapsto ↦ implies ⇒ Rightarrow ⇒ iff ⇔ Leftrightarrow ⇔ ldots … dots … cdots ⋯
circ ° degree ° angle ∠ perp ⊥ parallel ∥ triangle △ emptyset ∅ star ⋆ ast ∗ prime ′ mid |
""".split()  # noqa: SIM905 - a table of pairs
_SYMBOLS = dict(zip(_TABLE[::2], _TABLE[1::2], strict=True))
_SUPERSCRIPTS = str.maketrans("0123456789+-=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿ")
_SUBSCRIPTS = str.maketrans("0123456789+-=()", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎")
_GROUP = r"\{([^{}]*)\}"
_FRACTION = re.compile(r"\\[dt]?frac\s*" + _GROUP + r"\s*" + _GROUP)
_ROOT = re.compile(r"\\sqrt\s*" + _GROUP)
_FONTS = "text|mathrm|mathbf|mathit|mathbb|mathcal|operatorname|boldsymbol|vec|hat|bar|overline"
_FONT = re.compile(rf"\\(?:{_FONTS})\s*" + _GROUP)
_SCRIPT = re.compile(r"([\^_])(?:" + _GROUP + r"|(\w|\\[A-Za-z]+))")
_COMMAND = re.compile(r"\\([A-Za-z]+)")
_SPACING = re.compile(r"\\[,;:! ]|\\q?quad\b|\\(?:left|right|big|Big|displaystyle|limits)\b|~")
_KEPT = {"^": "\ue000", "_": "\ue001"}  # signs that stay, until all groups are read
_DEEPEST = 6  # nested groups that are read; what is nested deeper keeps its braces away, but not its form


def tex_as_text(source: str) -> str:
    """A formula in characters: fractions as a/b, roots as √, powers and indices raised or lowered where they can be."""
    text = _SPACING.sub(" ", source.replace("\\*", "*"))
    for _level in range(_DEEPEST):
        inner = _FRACTION.sub(lambda match: f"{_operand(match[1])}/{_operand(match[2])}", text)
        inner = _FONT.sub(r"\1", _ROOT.sub(_root, inner))
        inner = _SCRIPT.sub(_script, inner)
        if inner == text:
            break
        text = inner
    text = _COMMAND.sub(lambda match: _SYMBOLS.get(match[1], match[1]), text)
    for sign, kept in _KEPT.items():
        text = text.replace(kept, sign)
    return _BLANKS.sub(" ", text.replace("\\", " ").replace("{", "").replace("}", "")).strip()


def _root(match: re.Match[str]) -> str:
    inner = match[1].strip()
    return f"√{inner}" if len(inner) == 1 else f"√({inner})"


def _operand(text: str) -> str:
    """In brackets, unless it is one word, number or sign."""
    shown = text.strip()
    return shown if len(shown) == 1 or re.fullmatch(r"\\?\w+", shown) else f"({shown})"


def _script(match: re.Match[str]) -> str:
    sign, inner = match[1], (match[2] if match[2] is not None else match[3]).strip()
    table = _SUPERSCRIPTS if sign == "^" else _SUBSCRIPTS
    if inner and all(ord(letter) in table for letter in inner):
        return inner.translate(table)
    if inner in ("\\circ", "\\prime"):
        return _SYMBOLS[inner[1:]]
    return f"{_KEPT[sign]}{_operand(inner)}" if inner else ""
