"""One chart at several widths: the style sheet shows the widest that its card has room for.

Letters keep their size, and the chart fills the card.
"""

from collections.abc import Callable

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

WIDTHS = (330, 520, 780, 1180)  # pixels; chart.css has the same


def fitted(draw: Callable[[int], SafeString]) -> SafeString:
    """draw: the chart at a width in pixels."""
    drawings = format_html_join("", '<div class="fit fit--{}">{}</div>', ((wide, draw(wide)) for wide in WIDTHS))
    return format_html('<div class="fits">{}</div>', drawings)
