"""Tags that show material: Markdown, differences, and the language of a text."""

import re
from typing import NamedTuple

from django import template
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from lib.texts import differences, markdown
from lib.texts.differences import TextDifference
from lib.texts.markdown import MarkupLabels
from lib.texts.plain import plain_line, shortened

register = template.Library()

# A rendered line holds about this many Latin letters; a CJK character is twice as wide.
LINE = 90

_HAN = re.compile("[\u3400-\u9fff\uf900-\ufaff]")
_KANA = re.compile("[\u3040-\u30ff]")
_HANGUL = re.compile("[\uac00-\ud7af]")
_LETTER = re.compile(r"[^\W\d_]")


@register.filter(name="markdown")
def as_markdown(text: str) -> SafeString:
    """A message as safe HTML, with line breaks kept."""
    return markdown.render(text, _labels())


def placed_markdown(text: str) -> SafeString:
    """The same, each text with its place in the message; "" where it looks as it is stored."""
    return markdown.render_placed(text, _labels())


@register.filter
def markdown_line(text: str) -> SafeString:
    """A line of text within a heading or a label, with its formulas."""
    return markdown.render_line(text)


@register.filter
def plain_title(title: str, most: int = 160) -> str:
    """A title without marks of Markdown, HTML and TeX, cut after a word."""
    return shortened(plain_line(title), most)


@register.filter
def document(text: str) -> SafeString:
    """A document such as guidelines as safe HTML: single line breaks are joined, as in Markdown."""
    return markdown.render(text, _labels(), breaks=False)


def _labels() -> MarkupLabels:
    return MarkupLabels(code=gettext("{language} code"), table=gettext("table"))


@register.filter
def difference(old: str, new: str) -> TextDifference:
    """The difference from old to new; a missing text counts as empty."""
    return differences.compared(old or "", new or "")


@register.filter
def difference_html(difference: TextDifference) -> SafeString:
    return differences.difference_html(difference)


@register.filter
def change_count(difference: TextDifference) -> int:
    """How many places changed; a removal and its replacement count as one."""
    return max((number for _piece, number in differences.numbered(difference.pieces)), default=0)


@register.filter
def changes_in_one(difference: TextDifference) -> SafeString:
    """Both texts in one, each mark with the number of its change."""
    return differences.numbered_html(differences.numbered(difference.pieces))


@register.filter
def changes_in_gold(difference: TextDifference) -> SafeString:
    """The old text alone; its marks keep their numbers from the full difference."""
    return differences.numbered_html(
        numbered_piece for numbered_piece in differences.numbered(difference.pieces) if numbered_piece[0].op != "added"
    )


@register.filter
def changes_in_new(difference: TextDifference) -> SafeString:
    return differences.numbered_html(
        numbered_piece
        for numbered_piece in differences.numbered(difference.pieces)
        if numbered_piece[0].op != "removed"
    )


class Alone(NamedTuple):
    """One changed place with some text around it. first: the number of its first change."""

    first: int
    html: SafeString
    cut_before: bool
    cut_after: bool


@register.filter
def changes_alone(difference: TextDifference) -> list[Alone]:
    """Only what changed, in order, numbered as in the whole text."""
    changes, last_number = [], 0
    for hunk in differences.changes_only(difference):
        pieces = [(piece, number and number + last_number) for piece, number in differences.numbered(hunk.pieces)]
        changes.append(Alone(last_number + 1, differences.numbered_html(pieces), hunk.cut_before, hunk.cut_after))
        last_number = max(number for _piece, number in pieces)
    return changes


@register.filter
def reading_lines(text: str) -> int:
    """About how many lines the text fills on the page."""
    return sum(1 + (len(line) + len(_HAN.findall(line))) // LINE for line in (text or "").splitlines())


@register.filter
def written_in(text: str, otherwise: str = "") -> str:
    """The `lang` of a text: detected from its script where that is clear, else the item's language.

    A script is clear when it is a fifth of the letters or more: Chinese texts are full of Latin names.
    """
    start = (text or "")[:2000]
    letters = len(_LETTER.findall(start)) or 1
    if len(_KANA.findall(start)) / letters >= 0.2:
        return "ja"
    if len(_HANGUL.findall(start)) / letters >= 0.2:
        return "ko"
    if len(_HAN.findall(start)) / letters >= 0.2:
        return "zh-Hans"
    return "en" if otherwise.startswith(("zh", "ja", "ko")) else otherwise
