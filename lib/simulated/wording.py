"""Sentences composed from a given text, in its language. All patterns are our own."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from lib.simulated.chance import Draw
from lib.simulated.material import MessageMaterial, fragments, topic

# Slots: {topic} the beginning of the text, {part} a clause of it. A question must be answerable with yes or no.
ENGLISH = {
    "question": [
        "Does the answer address “{part}”?",
        "Is everything said about “{part}” correct?",
        "Does it keep to what was asked, “{topic}”?",
        "Are the steps towards the result shown?",
        "Is the wording clear and free of repetition?",
        "Does the answer give a result that can be checked?",
        "Does it admit what was wrong in the first answer?",
        "Is every condition of the question taken into account?",
        "Does the answer avoid claims that the text does not support?",
    ],
    "feedback": [
        "Please look at “{part}” again: that part of your answer does not hold.",
        "I am not convinced by what you say about “{part}”. Could you check it?",
        "I asked about “{topic}”, and one part of that is still missing.",
        "Are you sure? Go through “{part}” once more, step by step.",
    ],
    "reason": [
        "It passes over “{part}”, which the question names.",
        "The claim about “{part}” does not follow from what is given.",
        "It answers the beginning of the question and leaves “{part}” open.",
        "Nothing in it contradicts “{part}”.",
    ],
    "opening": ["This is about “{topic}”.", "Take “{topic}” step by step.", "In short, on “{topic}”:"],
    "body": [
        "What matters most is “{part}”.",
        "First look at “{part}”, then at what follows from it.",
        "“{part}” leaves one condition to check.",
        "From “{part}” the rest can be worked out.",
    ],
    "closing": ["That answers the question.", "With this the result can be checked.", "Nothing else is needed."],
    "follow_up": ["You are right to ask about “{part}”.", "I have gone through “{part}” again."],
}
CHINESE = {
    "question": [
        "回答是否涉及“{part}”？",
        "关于“{part}”的说法是否正确？",
        "回答是否紧扣“{topic}”这一要求？",
        "是否给出了得到结果的步骤？",
        "表述是否清楚、没有重复？",
        "是否给出了可以核对的结果？",
        "是否承认了第一次回答中的不足？",
        "是否考虑到题目给出的每个条件？",
        "是否避免了原文没有依据的说法？",
    ],
    "feedback": [
        "请再看一下“{part}”，你的回答在这里站不住脚。",
        "你关于“{part}”的说法我不太认同，能再核对一下吗？",
        "我问的是“{topic}”，还有一部分没有回答到。",
        "你确定吗？请把“{part}”一步一步再推一遍。",
    ],
    "reason": [
        "回答略过了题目提到的“{part}”。",
        "关于“{part}”的结论缺少依据。",
        "只回答了问题的前半部分，没有处理“{part}”。",
        "内容与“{part}”没有矛盾。",
    ],
    "opening": ["这个问题与“{topic}”有关。", "下面一步一步来看“{topic}”。", "关于“{topic}”，简要说明如下："],
    "body": [
        "最关键的是“{part}”。",
        "先看“{part}”，再看由此得到什么。",
        "“{part}”还有一个条件需要核对。",
        "由“{part}”可以推出其余部分。",
    ],
    "closing": ["以上就是答案。", "这样结果就可以核对。", "不需要其他条件。"],
    "follow_up": ["你对“{part}”的提问很有道理。", "我重新核对了“{part}”。"],
}
BARE = {"topic": ("the question", "题目"), "part": ("the question", "题目要求")}
LONGEST_PROSE = 3


@dataclass(frozen=True)
class SentenceWording:
    """Sentences about one material. `role` names a list above; the same name of a draw gives the same sentence.

    source: the text whose clauses are quoted; where it is empty or has none, those of all blocks.
    """

    material: MessageMaterial
    draw: Draw
    source: str = ""

    @property
    def is_chinese(self) -> bool:
        return self.material.is_chinese

    def sentence(self, role: str, *name: object) -> str:
        return self.filled(self.draw.one(self._patterns(role), role, *name), *name)

    def several(self, role: str, count: int, *name: object) -> list[str]:
        """Different sentences; more than there are patterns only where the text has enough clauses."""
        return self.several_of(self._patterns(role), count, role, *name)

    def several_of(self, patterns: Sequence[str], count: int, *name: object) -> list[str]:
        order = self.draw.of("order", *name).sample(patterns, len(patterns))
        sentences: dict[str, None] = {}
        for turn in range(count * 4):
            sentences[self.filled(order[turn % len(order)], *name, turn)] = None
            if len(sentences) == count:
                break
        return list(sentences)

    def prose(self, *name: object, opening: str = "opening") -> str:
        """A short paragraph."""
        length = self.draw.of("length", *name).randint(1, LONGEST_PROSE)
        parts = [self.sentence(opening, *name), *self.several("body", length, *name), self.sentence("closing", *name)]
        return ("" if self.is_chinese else " ").join(parts)

    def label(self, *name: object) -> str:
        return self._part(*name)

    def _patterns(self, role: str) -> Sequence[str]:
        return (CHINESE if self.is_chinese else ENGLISH)[role]

    def filled(self, pattern: str, *name: object) -> str:
        return pattern.replace("{topic}", self._topic).replace("{part}", self._part(*name))

    def _part(self, *name: object) -> str:
        quotable = self._quotable
        return self.draw.one(quotable, "part", *name) if quotable else BARE["part"][self.is_chinese]

    @cached_property
    def _topic(self) -> str:
        return topic(self.material.main) or BARE["topic"][self.is_chinese]

    @cached_property
    def _quotable(self) -> list[str]:
        texts = [block.text for block in self.material.blocks] or [self.material.main]
        return fragments([self.source or texts[0]]) or fragments(texts)
