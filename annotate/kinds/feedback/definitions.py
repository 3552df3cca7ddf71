"""What the published labels mean, in words of ours: English and Chinese. Projects may define theirs otherwise.

Source: FB-Bench (arXiv 2410.09412), sections 2.2.2 and Table 1; the boundary between incomplete and unprofessional
answers is our own.
"""

from annotate.kinds.definitions import Definition, Definitions

DEFINITIONS: dict[str, Definition] = {
    "Not Following Instructions": {
        "en": "the answer misses or breaks something that the user laid down, such as the context, the task or a form",
        "zh": "回答遗漏或违背了用户规定的内容，例如背景、任务或格式要求",
    },
    "Logical Error": {
        "en": "the answer reasons or calculates wrongly, or applies a concept where it does not belong",
        "zh": "回答的推理或计算有误，或者错误地运用了某个概念",
    },
    "Incomplete Answer": {
        "en": "a part of the question is left open: something that was asked for is not there at all",
        "zh": "问题的某一部分没有得到回答：用户要求的内容完全没有出现",
    },
    "Factual Error": {
        "en": "the answer states something about the world that is untrue or out of date",
        "zh": "回答中对事实的陈述不真实或已经过时",
    },
    "Unprofessional Answer": {
        "en": "everything is touched upon, but unclearly, without the depth it needs, or badly organised",
        "zh": "该谈的都谈到了，但表述不清、深度不够或条理混乱",
    },
    "Pointing Out Errors": {
        "en": "the user names the place in the answer that is wrong or absurd",
        "zh": "用户指出回答中错误或荒谬的具体之处",
    },
    "Clarifying Intent": {
        "en": "the user says again, or more narrowly, what they want, so that the aim becomes clear",
        "zh": "用户重新表述或缩小自己的要求，让意图更加明确",
    },
    "Raising Objections": {
        "en": "the user is not content with the solution offered and presses for a better one",
        "zh": "用户不满意给出的方案，要求提供更好的方案",
    },
    "Detailed Explanation": {
        "en": "the user asks for more information, or for more depth about something in the answer",
        "zh": "用户要求补充信息，或对回答中的某一点作更深入的说明",
    },
    "Hinting Guidance": {
        "en": "the user steers the assistant towards the step that decides the solution, without giving the solution",
        "zh": "用户把助手引向解题的关键一步，但不直接给出答案",
    },
    "Simple Questioning": {
        "en": "the user doubts the answer and gives neither a reason nor an answer of their own",
        "zh": "用户对回答表示怀疑，但既不说明理由，也不给出自己的答案",
    },
    "Misinformation": {
        "en": "the user brings in a false fact or a faulty argument about the matter and wants the answer to follow it",
        "zh": "用户提出错误的事实或有漏洞的论证，并要求回答据此修改",
    },
    "Credibility Support": {
        "en": "the user backs a false claim with an invented authority or expertise: a book, a teacher, a profession",
        "zh": "用户借助虚构的权威或专业身份（书籍、老师、自己的职业等）来支持不实的说法",
    },
    "Unreasonable Requests": {
        "en": "the user demands what ethics or common sense rules out, and what a good answer has to decline",
        "zh": "用户提出违背伦理或常识、好的回答应当拒绝的要求",
    },
}
MEANINGS = Definitions(DEFINITIONS)
