"""What the intents mean, in words of ours: English and Chinese. Projects may define theirs otherwise.

Source: URS (arXiv 2404.13940, both versions).
"""

from annotate.kinds.definitions import Definition, Definitions

DEFINITIONS: dict[str, Definition] = {
    "Factual_QA": {
        "en": "to learn a fact, a definition or how something is",
        "zh": "想知道某个事实、定义或情况",
    },
    "Solve_Professional_Problem": {
        "en": "to get a problem of study or work solved: calculate, program, analyse, diagnose",
        "zh": "想解决学习或工作中的问题：计算、编程、分析、诊断",
    },
    "Text_Assistant": {
        "en": "to have a text worked on: translate, summarise, correct, shorten, rewrite, write to order",
        "zh": "想让助手处理文字：翻译、总结、改错、缩写、改写、按要求写",
    },
    "Ask_for_Advice": {
        "en": "to be helped to decide or plan something of their own life",
        "zh": "想为自己生活中的决定或计划求建议",
    },
    "Seek_Creativity": {
        "en": "to get ideas, names, designs or something invented",
        "zh": "想得到点子、名字、设计或虚构的内容",
    },
    "Leisure": {
        "en": "to pass the time: chat, play, be entertained",
        "zh": "想消遣：闲聊、玩游戏、找乐子",
    },
    "API": {
        "en": "a request that a program sends, with a fixed form of input and output",
        "zh": "由程序发出的请求，输入输出有固定格式",
    },
}
MEANINGS = Definitions(DEFINITIONS)
