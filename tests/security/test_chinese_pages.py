"""No Chinese page has a space after a full-width mark, or an English full stop at the end of a Chinese sentence."""

import re
from html.parser import HTMLParser
from typing import Any

import pytest

from annotate.templatetags.fixed_texts import GAP
from tests.browser.pages import places
from tests.security.asking import client_of
from tests.security.world import World, plain
from tests.security.world_perturbed import build

BLOCKS = re.compile(
    "article|aside|body|button|d[dlt]|details|div|fieldset|figcaption|figure|footer|form|h[1-6r]|head|header|label|legend"
    "|li|main|nav|ol|option|p|section|select|summary|table|t[dhr]|time|title|ul"
)
NOT_OURS = {"script", "style", "textarea", "code", "kbd", "pre", "svg"}
MARKS = "。，；：？！、"
STRAY = re.compile(rf"[{MARKS}] +(?!·)\S|[\u4e00-\u9fff”）{MARKS}][.](?!\w)")


class Sentences(HTMLParser):
    """The texts of a page, one for each block, as a browser puts them together."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.texts = [""]
        self._skipped = 0
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._skipped += tag in NOT_OURS
        if BLOCKS.fullmatch(tag) or "verbatim" in (dict(attrs).get("class") or ""):
            self.texts.append("")

    def handle_endtag(self, tag: str) -> None:
        if tag in NOT_OURS:
            self._skipped -= 1
            self.texts[-1] += "x"
        if BLOCKS.fullmatch(tag):
            self.texts.append("")

    def handle_data(self, data: str) -> None:
        if not self._skipped:
            self.texts[-1] += data


def stray(page: str) -> list[str]:
    texts = [" ".join(text.split()) for text in Sentences(page).texts]
    return [text[max(match.start() - 30, 0) : match.end() + 20] for text in texts for match in STRAY.finditer(text)]


def test_a_stray_space_and_a_stop_of_english_are_found() -> None:
    assert stray("<p>好。 \n <b>再</b></p>") == ["好。 再"]
    assert stray("<p>不含：<i>标注</i>.</p>") == ["不含：标注."]
    assert stray("<p>好。</p> <p>共 1.5 个，见 a.b。<code>好。 再</code></p><p>吗？ · 1</p>") == []


@pytest.mark.django_db
def test_chinese_sentences_have_nothing_between_them(world: World) -> None:
    clients: dict[str, Any] = {}
    found = {}
    for place in places():
        client = clients.setdefault(place.role, client_of(world, place.role))
        answer = client.get(place.path(world), headers={"accept-language": "zh-hans"})
        assert GAP not in answer.content.decode(errors="replace")
        if answer.status_code == 200 and (texts := stray(answer.content.decode())):
            found[str(place)] = texts
    assert found == {}


@pytest.mark.django_db
def test_the_pages_of_perturbations_have_nothing_between_their_sentences(world: World) -> None:
    found = {}
    for name, path in build(plain).items():
        client = client_of(world, {"desk": "annotator", "adjudication": "reviewer"}.get(name, "lead"))
        answer = client.get(path, headers={"accept-language": "zh-hans"})
        assert answer.status_code == 200
        if texts := stray(answer.content.decode()):
            found[name] = texts
    assert found == {}
