"""Pages without the line breaks that only lay out their templates, so that a test reads markup and not layout."""

import re
from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase

TEST_CLIENT = "testserver"
KEPT_AS_IT_IS = re.compile(r"(<(pre|textarea|script)\b.*?</\2>)", re.DOTALL)
TAG = re.compile(r"""<[a-zA-Z/](?:"[^"]*"|'[^']*'|[^>"'])*>""")
QUOTED_OR_BREAK = re.compile(r"""("[^"]*"|'[^']*')|\s*\n\s*(>?)""")
BREAK_AT_TAG = re.compile(r"(?<=>)[ \t]*\n\s*|\s*\n[ \t]*(?=<)")


def flat_markup(get_response: Callable[[HttpRequest], HttpResponseBase]) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware: the test client gets no line breaks beside or within tags; a browser gets the page itself."""

    def respond(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        is_page = response.headers.get("Content-Type", "").startswith("text/html") and not response.streaming
        if is_page and request.META.get("SERVER_NAME") == TEST_CLIENT:
            response.content = flat(response.content.decode()).encode()
        return response

    return respond


def flat(html: str) -> str:
    """The markup with a space for each break within a tag and nothing for each break beside one."""
    parts = KEPT_AS_IT_IS.split(html)
    # Three parts a match: what is before, the element itself, its name.
    return "".join(flat_part(part) if number % 3 == 0 else part for number, part in enumerate(parts) if number % 3 != 2)


def flat_part(html: str) -> str:
    one_line_tags = TAG.sub(lambda tag: QUOTED_OR_BREAK.sub(lambda m: m[1] or m[2] or " ", tag[0]), html)
    return BREAK_AT_TAG.sub("", one_line_tags)
