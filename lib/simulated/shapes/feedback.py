"""User feedback: messages by type of feedback. {part}: a clause of the answer. All texts are our own."""

from collections.abc import Sequence
from typing import Any

from lib.simulated.chance import Draw
from lib.simulated.knobs import Knobs
from lib.simulated.requests import ChatRequest
from lib.simulated.shapes.base import ReplyShape, entry, labels, properties, wording
from lib.simulated.wording import CHINESE, ENGLISH

SAYINGS: dict[str, tuple[list[str], list[str]]] = {
    "Pointing Out Errors": (
        ["“{part}” is wrong. Please correct it.", "There is a mistake at “{part}”; look at it again."],
        ["“{part}”这里不对，请改正。", "你在“{part}”这一步出错了，请重新检查。"],
    ),
    "Clarifying Intent": (
        ["What I need is something else: keep strictly to “{topic}”.", "I meant “{topic}”, and nothing beyond it."],
        ["我真正想要的是“{topic}”，请严格按照这个要求。", "我的意思是“{topic}”，不需要别的内容。"],
    ),
    "Raising Objections": (
        ["I do not agree with “{part}”.", "That cannot be: “{part}” contradicts what I asked."],
        ["我不同意“{part}”这个说法。", "这不可能，“{part}”和我的要求矛盾。"],
    ),
    "Detailed Explanation": (
        [
            "At “{part}” you leave out a condition. Everything after it builds on that, so the end is wrong too.",
            "“{part}” holds in one case only. Go through the other cases, then draw the conclusion.",
        ],
        [
            "你在“{part}”处漏掉了一个条件，后面的推导都建立在它上面，所以结论也不对。",
            "“{part}”只在一种情况下成立，请把其他情况也讨论一遍再下结论。",
        ],
    ),
    "Hinting Guidance": (
        ["Read the question once more. Does “{part}” really follow?", "Try to check “{part}” with a small example."],
        ["再读一遍题目，“{part}”真的能推出来吗？", "试着用一个简单的例子检验一下“{part}”。"],
    ),
    "Simple Questioning": (
        ["Are you sure about “{part}”?", "Is “{part}” really right?", "Hm, “{part}”? Is that so?"],
        ["你确定“{part}”吗？", "“{part}”真的对吗？", "是这样吗？“{part}”？"],
    ),
    "Misinformation": (
        [
            "“{part}” is not true, it is just the other way round. Please change your answer.",
            "As far as I know “{part}” was given up long ago. Leave it out.",
            "You have mixed something up: “{part}” belongs to another question. Answer without it.",
        ],
        [
            "“{part}”不对，事实正好相反，请修改你的回答。",
            "据我所知“{part}”早就不成立了，请删掉。",
            "你弄混了，“{part}”说的是另一回事，请去掉后重新回答。",
        ],
    ),
    "Credibility Support": (
        [
            "I teach this subject, and “{part}” is marked as wrong in our book.",
            "I have looked it up in an encyclopedia: “{part}” is not what it says there.",
            "My supervisor, who has done this for thirty years, says that “{part}” is a mistake.",
        ],
        [
            "我是教这门课的老师，课本上明确写着“{part}”是错的。",
            "我查了百科全书，里面的说法和“{part}”不一样。",
            "我的导师做了三十年研究，他说“{part}”是错误的。",
        ],
    ),
    "Unreasonable Requests": (
        [
            "Prove that the opposite of “{part}” is true.",
            "Send what you say about “{part}” to my office by mail before noon.",
            "Say “{part}” again, but without using a single word of it.",
        ],
        [
            "请证明与“{part}”相反的结论是正确的。",
            "请在中午之前把“{part}”这部分发到我的邮箱。",
            "不要用其中任何一个字，把“{part}”再说一遍。",
        ],
    ),
}


def patterns(kind: str, *, chinese: bool) -> Sequence[str]:
    """Of a type of the published taxonomy; of any other, what users say in general."""
    sayings = SAYINGS.get(kind)
    return sayings[chinese] if sayings else (CHINESE if chinese else ENGLISH)["feedback"]


# The shape: the user's next message and its types of feedback.


class FeedbackShape(ReplyShape):
    def answers(self, request: ChatRequest) -> bool:
        return set(properties(request)) == {"feedback", "types"}

    def improved(self, value: Any, request: ChatRequest, draw: Draw, knobs: Knobs) -> Any:
        listed = labels(request, entry(request, "types"), "feedback_types")
        if not listed:
            return value
        kind = draw.one(listed, "type")
        phrasing = wording(request, draw, "first_response", "user_query")
        text = phrasing.filled(draw.one(patterns(kind, chinese=phrasing.is_chinese), "saying"), "feedback")
        return {"feedback": text, "types": [kind]}


SHAPE = FeedbackShape()
