"""A gold answer with one mistake, or reworded, and a description of the change; with less skill only reworded.

The category decides which change is tried; if the text has no place for it, the next fitting change is tried. Each
change records the text before and after.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from lib.simulated.chance import Draw
from lib.simulated.knobs import Knobs
from lib.simulated.material import is_chinese
from lib.simulated.requests import ChatRequest
from lib.simulated.shapes.base import ReplyShape, properties

_NUMBER = re.compile(r"(?<![\d.,])\d+(?:\.\d+)?(?![\d]|[.,]\d)")
_NAME = re.compile(r"(?<=[a-z,;:] )[A-Z][a-z]{2,}(?:\s[A-Z][a-z]{2,})?")
_HAN_WORD = re.compile(r"[\u4e00-\u9fff]{2}")
_WORD = re.compile(r"\b[a-z]{5,}\b")
_VERB = re.compile(r"\b(is|are|was|were|can|will|must|should|has|have)\b(?! not\b)")
_HAN_VERB = re.compile(r"(?<!不)(?:是|能|会|可以|应该|必须)")
_SENTENCE = re.compile(r"[^.!?。！？\n]+(?:[.!?](?=\s|$)|[。！？])?", re.MULTILINE)
_LAYOUT = re.compile(r"^[ \t]*(?:#{1,6}[ \t]+|[-*+][ \t]+|\d+[.)][ \t]+)|\*\*|\n+", re.MULTILINE)
_UNITS = {
    "km": "m", "m": "cm", "cm": "mm", "mm": "cm", "kg": "g", "g": "mg", "l": "ml", "h": "min", "min": "s", "s": "min",
    "kilometres": "miles", "kilometers": "miles", "miles": "kilometres", "metres": "feet", "meters": "feet",
    "hours": "minutes", "minutes": "hours", "days": "weeks", "years": "months", "euros": "cents", "dollars": "cents",
    "%": "‰", "公里": "米", "千米": "米", "米": "厘米", "厘米": "米", "公斤": "克", "千克": "克", "克": "千克",
    "小时": "分钟", "分钟": "小时", "元": "角", "天": "周", "年": "月",
}  # fmt: skip
_UNIT = re.compile(
    r"(?<=\d)(\s?)(" + "|".join(sorted(map(re.escape, _UNITS), key=len, reverse=True)) + r")(?![A-Za-z])"
)
_NAMES = ("Kestrel", "Marwick", "Ostania", "Belford", "Talvik")
_HAN_NAMES = ("北岭", "南浦", "东庄", "西川")
_SAME = {
    "very": "highly", "because": "since", "large": "big", "big": "large", "begins": "starts", "starts": "begins",
    "about": "roughly", "also": "too", "but": "yet", "shows": "demonstrates", "use": "employ", "needs": "requires",
    "get": "obtain", "so": "hence", "therefore": "thus", "因为": "由于", "但是": "不过", "所以": "因此", "非常": "十分",
    "大约": "大概", "需要": "须要", "开始": "起始", "也": "亦",
}  # fmt: skip
_SAME_WORD = re.compile("|".join(rf"\b{word}\b" if word.isascii() else word for word in _SAME))
MORE = ("In addition, it pays to ask somebody nearby for advice.", "此外，最好再请身边的人提一些建议。")
ASSUMED = ("Since you live by the sea, this applies to you in particular.", "由于您住在海边，这一点对您尤其适用。")
ANEW = ("Put differently: ", "换句话说：")


@dataclass(frozen=True)
class TextChange:
    """text: the whole changed answer; before, after: the text at the place before and after the change."""

    text: str
    before: str
    after: str

    def explanation(self, *, chinese: bool) -> str:
        before, after = (" ".join(part.split())[:120] for part in (self.before, self.after))
        if not before:
            return f"新加了“{after}”。" if chinese else f"I added “{after}”."
        if not after:
            return f"删去了“{before}”。" if chinese else f"I took out “{before}”."
        return f"“{before}”改成了“{after}”。" if chinese else f"“{before}” became “{after}”."


Way = Callable[[str, Draw], TextChange | None]


def perturbed(text: str, described: Sequence[str], draw: Draw) -> TextChange:
    """The first change of the category's ways that the text allows. described: its name, then what else says it."""
    for way in (*ways_of(described), number, opposite, one_word):
        change = way(text, draw)
        if change is not None and change.text != text:
            return change
    return added(text, draw)


def ways_of(described: Sequence[str]) -> Sequence[Way]:
    """By the first of these texts in which a word of WAYS stands."""
    for description in described:
        for words, ways in WAYS:
            if any(word in description.lower() for word in words):
                return ways
    return ()


def _replaced(text: str, match: re.Match[str], by: str) -> TextChange:
    return TextChange(text[: match.start()] + by + text[match.end() :], match[0], by)


def _place(pattern: re.Pattern[str], text: str, draw: Draw, *name: object) -> re.Match[str] | None:
    matches = list(pattern.finditer(text))
    return draw.one(matches, *name) if matches else None


def number(text: str, draw: Draw) -> TextChange | None:
    """Another number of the same length, where there is one."""
    match = _place(_NUMBER, text, draw, "number")
    return None if match is None else _replaced(text, match, _another(match[0]))


def last_number(text: str, draw: Draw) -> TextChange | None:
    matches = list(_NUMBER.finditer(text))
    return _replaced(text, matches[-1], _another(matches[-1][0])) if matches else None


def _another(digits: str) -> str:
    """Its digits the other way round; where that says the same, one more in the last place."""
    whole, point, rest = digits.partition(".")
    turned = whole[::-1]
    if turned == whole or turned.startswith("0"):
        turned = str(int(whole) + 1)
    return turned + point + rest


def unit(text: str, draw: Draw) -> TextChange | None:
    match = _place(_UNIT, text, draw, "unit")
    return None if match is None else _replaced(text, match, match[1] + _UNITS[match[2]])


def entity(text: str, draw: Draw) -> TextChange | None:
    match = _place(_NAME, text, draw, "entity")
    return None if match is None else _replaced(text, match, draw.one(_NAMES, "name"))


def opposite(text: str, draw: Draw) -> TextChange | None:
    if match := _place(_VERB, text, draw, "verb"):
        return _replaced(text, match, f"{match[0]} not")
    match = _place(_HAN_VERB, text, draw, "verb")
    return None if match is None else _replaced(text, match, f"不{match[0]}")


def spelling(text: str, draw: Draw) -> TextChange | None:
    match = _place(_WORD, text, draw, "spelling") or _place(_HAN_WORD, text, draw, "spelling")
    if match is None:
        return None
    middle = len(match[0]) // 2
    swapped = match[0][: middle - 1] + match[0][middle] + match[0][middle - 1] + match[0][middle + 1 :]
    return _replaced(text, match, swapped if swapped != match[0] else match[0][:-1])


def grammar(text: str, draw: Draw) -> TextChange | None:
    wrong = {"is": "are", "are": "is", "was": "were", "were": "was", "has": "have", "have": "has"}
    match = _place(re.compile(r"\b(?:is|are|was|were|has|have)\b"), text, draw, "grammar")
    return None if match is None else _replaced(text, match, wrong[match[0]])


def one_word(text: str, draw: Draw) -> TextChange | None:
    """A word or two characters of the text give way to another place of it."""
    match = _place(_WORD, text, draw, "word")
    if match is not None:
        other_words = sorted({word_match[0] for word_match in _WORD.finditer(text)} - {match[0]})
        return _replaced(text, match, draw.one(other_words, "other")) if other_words else None
    match = _place(_HAN_WORD, text, draw, "word")
    return None if match is None else _replaced(text, match, draw.one(_HAN_NAMES, "other"))


def _sentences(text: str) -> Sequence[re.Match[str]]:
    return [match for match in _SENTENCE.finditer(text) if match[0].strip()]


def less(text: str, draw: Draw) -> TextChange | None:
    """A sentence is gone; of a text with only one, nothing can go."""
    sentences = _sentences(text)
    if len(sentences) < 2:
        return None
    sentence = draw.one(sentences, "less")
    return TextChange((text[: sentence.start()] + text[sentence.end() :]).strip(), sentence[0].strip(), "")


def order(text: str, draw: Draw) -> TextChange | None:
    """Two neighbouring sentences change places."""
    sentences = _sentences(text)
    if len(sentences) < 2:
        return None
    index = draw.of("order").randrange(len(sentences) - 1)
    earlier, two = sentences[index], sentences[index + 1]
    between = text[earlier.end() : two.start()]
    lead = earlier[0][: len(earlier[0]) - len(earlier[0].lstrip())]
    swapped = lead + two[0].strip() + (between or " ") + earlier[0].strip()
    return TextChange(text[: earlier.start()] + swapped + text[two.end() :], earlier[0].strip(), two[0].strip())


def layout(text: str, draw: Draw) -> TextChange | None:
    """Headings, lists, emphasis and lines become one paragraph; a plain text becomes a list."""
    flat = " ".join(_LAYOUT.sub(" ", text).split())
    if flat != text:
        return TextChange(flat, text, flat)
    listed = "\n".join(f"- {match[0].strip()}" for match in _sentences(text))
    return TextChange(listed, text, listed)


def added(text: str, draw: Draw) -> TextChange:
    return _after(text, MORE)


def assumed(text: str, draw: Draw) -> TextChange:
    return _after(text, ASSUMED)


def _after(text: str, sentences: tuple[str, str]) -> TextChange:
    chinese = is_chinese(text)
    return TextChange(text.rstrip() + ("" if chinese else " ") + sentences[chinese], "", sentences[chinese])


def paraphrase(text: str, draw: Draw) -> TextChange:
    """Words of the same meaning wherever there are some, else a phrase before the text."""
    matches = list(_SAME_WORD.finditer(text))
    if not matches:
        phrase = ANEW[is_chinese(text)]
        return TextChange(phrase + text, "", phrase.strip())
    rewording = _SAME_WORD.sub(lambda match: _SAME[match[0]], text)
    return TextChange(rewording, matches[0][0], _SAME[matches[0][0]])


# Words in a category's name or definition -> the changes to try, in this order. The first line that fits counts.
WAYS: Sequence[tuple[Sequence[str], Sequence[Way]]] = (
    (("worth exactly", "score invariant", "分值不变"), (paraphrase,)),
    (("unit", "单位"), (unit, number)),
    (("final", "最终"), (last_number,)),
    (("number", "calculat", "formula", "数字", "计算", "公式"), (number,)),
    (("spell", "拼写", "错别字"), (spelling,)),
    (("grammar", "语法"), (grammar, spelling)),
    (("do less", "remove", "left out", "taken out", "comprehensive", "少做", "删去", "完整"), (less,)),
    (("do more", "padding", "多做", "空泛"), (added,)),
    (("assum", "臆断"), (assumed,)),
    (("chronolog", "sequence", "coheren", "order", "顺序", "连贯"), (order,)),
    (("consisten", "一致"), (added,)),
    (("format", "layout", "格式", "版式", "排版"), (layout,)),
    (("entit", "context", "实体", "语境"), (entity, one_word)),
    (("opposite", "false", "相反", "错误事实"), (opposite,)),
)


CARELESS = ("score invariant",)  # what a model without skill does instead: nothing that hurts


class PerturbationShape(ReplyShape):
    def answers(self, request: ChatRequest) -> bool:
        names = {"perturbed_answer", "explanation"}
        return set(properties(request)) == names and bool(request.material.of("gold_answer").strip())

    def improved(self, value: Any, request: ChatRequest, draw: Draw, knobs: Knobs) -> Any:
        gold = request.material.of("gold_answer")
        # The kind of mistake stands in blocks of its own; its name alone may say too little.
        descriptions = [request.material.of(name) for name in ("category", "definition")]
        change = perturbed(gold, descriptions if draw.happens(knobs.skill, "as told") else CARELESS, draw)
        return {"perturbed_answer": change.text, "explanation": change.explanation(chinese=is_chinese(gold))}


SHAPE = PerturbationShape()
