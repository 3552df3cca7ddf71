"""Names where people give names, in two languages; and what stands in such places and is none."""

import pytest
from hypothesis import given

from lib.texts.anonymisation import PersonNames
from tests.lib.texts.writing import any_texts


def found(*texts: str) -> list[list[str]]:
    names = PersonNames(texts)
    return [[text[one.start : one.end] for one in names.findings(text)] for text in texts]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Hi, my name is Sarah Miller. Could you help?", ["Sarah Miller"]),
        ("My name's Zoë O'Brien and I teach.", ["Zoë O'Brien"]),
        ("my name is sarah, i am 20", ["sarah"]),
        ("MY NAME IS JOHN SMITH", ["JOHN SMITH"]),
        ("My friend named Bob Marley sings.", ["Bob Marley"]),
        ("I am Li Wei, from Xi'an.", ["Li Wei"]),
        ("This is Karen speaking.", ["Karen"]),
        ("Dear Professor Thompson,\nI am late.\nBest regards,\nEmily Carter", ["Thompson", "Emily Carter"]),
        ("Hello Rowen!\nSure.\nThanks\nDaniel", ["Rowen", "Daniel"]),
        ("Full name: Maria Garcia\nAge: 30", ["Maria Garcia"]),
        ("你好，我叫王小明今年二十", ["王小明"]),
        ("我叫张三，来自北京", ["张三"]),
        ("我叫小明，", ["小明"]),
        ("我叫Lily，", ["Lily"]),
        ("我的名字叫诸葛亮。", ["诸葛亮"]),
        ("大家好，我是张敏思。", ["张敏思"]),
        ("他叫林逸。", ["林逸"]),
        ("亲爱的小红：", ["小红"]),
        ("尊敬的高老师：您好，高老师！", ["高老师", "高老师"]),
        ("姓名：张伟\n电话", ["张伟"]),
        ("此致\n敬礼！\n李华", ["李华"]),
    ],
)
def test_names_where_people_give_names(text: str, names: list[str]) -> None:
    assert found(text) == [names]


@pytest.mark.parametrize(
    "text",
    [
        "Hello World!",
        "Dear Hiring Manager,\nI apply.\nYours sincerely,\n[Your Name]",
        "Dear Grandmother,",
        "Thank you,\nThe HR Department",
        "my name is on the list.",
        "I am Chief Executive Officer, and tired.",
        "I'm French, and this is Paris, my home.",
        "Name: Dark Knight",
        "What is the name of this tree?",
        "我是程序员，我是高三学生。",
        "我是江苏，",
        "我叫外卖，",
        "我叫老公，",
        "尊敬的领导：",
        "亲爱的小伙伴们，",
        "文件名叫什么？",
    ],
)
def test_what_stands_in_such_places_and_is_no_name(text: str) -> None:
    assert found(text) == [[]]


def test_a_name_is_found_wherever_it_stands_in_the_conversation() -> None:
    assert found("小明是谁？", "我叫王小明。", "王小明，小明？") == [["小明"], ["王小明"], ["王小明", "小明"]]
    assert found("Ask Sarah.", "my name is sarah miller.", "Sarah, Ms Miller; the Sarahs") == [
        ["Sarah"],
        ["sarah miller"],
        ["Sarah", "Miller"],
    ]


def test_a_part_that_is_an_everyday_word_stays_where_it_stands_alone() -> None:
    assert found("My name is May Brown. In May the brown Brown bear comes; May Brown does not.") == [
        ["May Brown", "May Brown"]
    ]


def test_the_bearer_of_a_part_is_the_whole_name() -> None:
    names = PersonNames(["My name is Sarah Miller.", "Hello Sarah!"])
    assert {names.bearer(one) for one in ("Sarah", "Miller", "Sarah Miller")} == {"Sarah Miller"}
    assert names.bearer("Paul") == "Paul"


def test_what_is_shown_masks_the_name() -> None:
    assert [one.shown for one in PersonNames(["我叫张三，"]).findings("张三")] == ["张•••"]


@given(any_texts)
def test_any_text_is_read_and_places_are_in_order(text: str) -> None:
    whole = f"{text}\nMy name is Sarah Miller.\n{text}"
    places = [(one.start, one.end) for one in PersonNames([whole]).findings(whole)]
    assert places == sorted(places)
    assert "Sarah Miller" in {whole[start:end] for start, end in places}
