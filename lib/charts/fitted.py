"""One chart at several widths: the style sheet shows the widest that its card has room for.

Letters keep their size, and the chart fills the card.
"""

from collections.abc import Callable

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

WIDTHS = (330, 520, 780, 1180)  # pixels; chart.css has the same
SQUARE = WIDTHS[:2]  # a wider square would not fit on a screen


def fitted(draw: Callable[[int], SafeString], *, square: bool = False) -> SafeString:
    """draw: the chart at a width in pixels. square: it is as high as it is wide, and at most 620 pixels."""
    widths, look = (SQUARE, "fits fits--square") if square else (WIDTHS, "fits")
    drawings = format_html_join("", '<div class="fit fit--{}">{}</div>', ((wide, draw(wide)) for wide in widths))
    return format_html('<div class="{}">{}</div>', look, drawings)
