"""How many tokens a text would take: near enough for prices, limits and the length of a context."""

import re

_HAN = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff]")
# Common tokenisers take about two thirds of a token for an East Asian character, a quarter for any other.
HAN, OTHER = 0.67, 0.25
PER_MESSAGE = 4


def tokens(text: str) -> int:
    if text.isascii():
        return -(-len(text) // 4)
    han = len(_HAN.findall(text))
    return max(1, round(HAN * han + OTHER * (len(text) - han)))


def cut_to(text: str, most: int) -> str:
    """The beginning of the text that takes at most so many tokens."""
    if tokens(text) <= most:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if tokens(text[:middle]) <= most else (low, middle - 1)
    return text[:low]
