"""The content of messages: data blocks, and the text around them."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

_OPENING = re.compile(r'<([a-z][\w-]*)(?: name="(\w+)")?>\n')
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_WORD = re.compile(r"[A-Za-z\u00c0-\u024f]+")
_END_OF_SENTENCE = re.compile(r"(?<=[。！？!?])|(?<=\.)\s|\n+")
_END_OF_CLAUSE = re.compile(r"[，。！？；：、,.!?;:()（）\[\]{}<>“”\"'`*#=|\\/\n\t]+")


@dataclass(frozen=True)
class Block:
    """One tagged block, as lib/texts/fencing.py writes them. tag: its name; text: what it holds."""

    tag: str
    text: str


@dataclass(frozen=True)
class MessageMaterial:
    """said: all messages, in order, as (role, text)."""

    said: tuple[tuple[str, str], ...]

    @cached_property
    def _taken_apart(self) -> tuple[list[Block], str]:
        blocks, around = [], []
        for _role, text in self.said:
            inside, outside = taken_apart(text)
            blocks += inside
            around.append(outside)
        return blocks, "\n".join(around)

    @property
    def blocks(self) -> list[Block]:
        return self._taken_apart[0]

    @property
    def instructions(self) -> str:
        """What stands outside the blocks: all that an obedient model obeys."""
        return self._taken_apart[1]

    def of(self, *words: str) -> str:
        """The text of the first block whose tag has one of the words in it, '' where there is none."""
        return next((b.text for word in words for b in self.blocks if word in b.tag), "")

    @cached_property
    def main(self) -> str:
        """What the request is about: the first block, else what the user said last."""
        if self.blocks:
            return self.blocks[0].text.strip()
        return next((text for role, text in reversed(self.said) if role == "user"), self.said[-1][1]).strip()

    @cached_property
    def is_chinese(self) -> bool:
        return is_chinese(self.main)


def taken_apart(text: str) -> tuple[list[Block], str]:
    """The blocks of a text, and the rest. Marks are at the end and the beginning of a line; the first end counts."""
    blocks, around, offset = [], [], 0
    while match := _OPENING.search(text, offset):
        closing = f"\n</{match[1]}>"
        # The line break after the opening may be the one before the closing: an empty block.
        end = text.find(closing, match.end() - 1)
        if end < 0:
            around.append(text[offset : match.end()])
            offset = match.end()
            continue
        around.append(text[offset : match.start()])
        blocks.append(Block(match[2] or match[1], text[match.end() : end]))
        offset = end + len(closing)
    return blocks, "".join([*around, text[offset:]])


def is_chinese(text: str) -> bool:
    sample = text[:2000]
    return not sample.isascii() and 2 * len(_HAN.findall(sample)) >= len(_WORD.findall(sample))


def sentences(text: str) -> list[str]:
    return [part.strip() for part in _END_OF_SENTENCE.split(text) if part and part.strip()]


def fragments(texts: Iterable[str]) -> list[str]:
    """Clauses that can be quoted: neither a word alone nor half a page. Each once."""
    return list(dict.fromkeys(clause for text in texts for clause in _clauses(text[:4000])))


def _clauses(text: str) -> Iterator[str]:
    for part in _END_OF_CLAUSE.split(text):
        clause = " ".join(part.split())
        if clause.count("$") % 2:  # half of a formula
            continue
        if (4 <= len(clause) <= 24) if _HAN.search(clause) else (2 <= clause.count(" ") <= 9 and len(clause) <= 70):
            yield clause


def topic(text: str) -> str:
    """The beginning of a text, short enough for use in a sentence."""
    beginning = next(iter(sentences(text)), "").strip(" .。!！?？:：,，;；\"'*#")
    if is_chinese(beginning):
        return beginning[:24]
    words = beginning.split()
    return " ".join(words[:10])[:70]
