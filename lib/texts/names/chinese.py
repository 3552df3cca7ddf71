"""Names in Chinese texts: a surname and one or two characters where people put a name. Pure.

Chinese marks no words, so a name ends at a sign, at a word that follows names, or after two characters behind the
surname. Only frequent surnames count; words.toml lists what begins like one and is none.
"""

import re
from collections.abc import Iterator

from lib.texts.names.words import words

_ONE = (
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付方"
    "白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤"
)
_TWO = "欧阳|司马|诸葛|上官|夏侯|东方|皇甫|尉迟|公孙|慕容|令狐|司徒|端木|百里|南宫|独孤"
_AFTER = "今是在来从的和住有年想毕目现也吗吧呢就要喜正读刚男女能请这那已不很都了去做说问帮给把被让我你他她您同先小老师"
_HAN = "\u4e00-\u9fff"
_SURNAME = rf"(?:{_TWO}|[{_ONE}])"
NAME = rf"(?:{_SURNAME}[{_HAN}](?:(?![{_AFTER}])[{_HAN}])?)"
NICK = rf"(?:[小阿老大](?:(?![{_AFTER}])[{_HAN}]){{1,2}})"
_LATIN = r"(?:[A-Z][a-z]{1,15}(?: [A-Z][a-z]{1,15})?)"
_END = rf"(?=\s*(?:[^{_HAN}\w]|\Z))"
_TITLE = "(?:先生|女士|小姐|老师|教授|经理|总|医生|同学|主任|院长|校长|律师)"
_KIN = (
    "他|她|朋友|同学|儿子|女儿|孩子|男友|女友|男朋友|女朋友|老公|老婆|丈夫|妻子|同事|老板|老师"
    "|妹妹|弟弟|姐姐|哥哥|妈妈|爸爸"
)

_PATTERNS = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        rf"(?:我叫|(?:{_KIN})叫)做?\s*[“\"「]?(?P<name>{NAME}|{NICK}{_END}|{_LATIN})",
        rf"(?:我|{_KIN})的?(?:名字|姓名|全名)(?:叫做|叫|是|为)?[：:]?\s*[“\"「]?(?P<name>{NAME}|{NICK}|[{_HAN}]{{2,4}}{_END}|{_LATIN})",
        rf"(?:我|{_KIN}|本人)名叫\s*[“\"「]?(?P<name>{NAME}|{NICK}|{_LATIN})",
        rf"(?:请|可以)叫我\s*[“\"「]?(?P<name>(?:{NAME}|{NICK}){_END}|{_LATIN})",
        rf"(?:^|[，。！？,.!?\s])(?:我|本人)是(?P<name>{NAME}|{_LATIN})(?=\s*(?:[，。！,.!\n]|\Z))",
        (
            rf"(?:^|[“\"「：:，,])[ \t]*(?:尊敬|敬爱|亲爱)的[ \t]*"
            rf"(?P<name>{_SURNAME}(?={_TITLE}{_END})|{NAME}(?={_TITLE}?{_END})|{NICK}{_END}|{_LATIN}{_END})"
        ),
        rf"(?:姓名|联系人|申请人|收件人|寄件人|署名|落款|签名)\s*[：:]\s*(?P<name>{NAME}){_END}",
        rf"此致\s*敬礼[！!。]?\s*(?:[{_HAN}]{{0,8}}[：:]\s*)?(?P<name>{NAME})(?=\s*(?:\n|\Z|\d))",
        rf"[你您]的(?:{_KIN}|学生|孙子|孙女)[，：:,]?\s*(?P<name>{NAME}|{NICK})(?=\s*(?:\n|\Z))",
    )
)
_NO_ENDS = "生员师人者家的工长手子盲男女痴座客州省市县区族科学类化色文语傅友迷粉丝党员式型版"
_NO_NAMES = words("chinese_no_names")


def spoken(text: str) -> Iterator[tuple[int, int]]:
    """Where names stand."""
    for pattern in _PATTERNS:
        for match in pattern.finditer(text):
            name = match["name"]
            if name not in _NO_NAMES and name[:2] not in _NO_NAMES and name[-1] not in _NO_ENDS:
                yield match.start("name"), _end(text, match.end("name"), name)


def parts(name: str) -> Iterator[str]:
    """By what else its bearer is called: nothing shorter than two characters is."""
    if re.fullmatch(rf"{_SURNAME}[{_HAN}]{{2}}", name):
        yield name[-2:]


def _end(text: str, end: int, name: str) -> int:
    """A surname alone is one with its title, so that it is found again."""
    title = re.compile(_TITLE).match(text, end) if len(name) == 1 else None
    return title.end() if title else end
