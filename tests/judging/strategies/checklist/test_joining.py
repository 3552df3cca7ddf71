from hypothesis import given
from hypothesis import strategies as st

from judging.strategies.checklist.joints import Joint, join


def how(questions, said):
    return [(joint.question, joint.said, joint.how) for joint in join(questions, said)]


def test_the_same_texts_are_exact_in_any_order():
    assert how(["a?", "b?"], ["b?", "a?"]) == [(0, 1, "exact"), (1, 0, "exact")]


def test_equal_questions_are_answered_in_their_order():
    assert how(["same?", "same?"], ["same?", "same?"]) == [(0, 0, "exact"), (1, 1, "exact")]


def test_quotes_blanks_and_full_width_signs_do_not_matter_and_are_flagged():
    questions = ["是否给出了“数值”，单位 (km)？", 'Does it say "no"?']
    said = ["是否给出了'数值',单位（ｋｍ）?", "does it  say `no`?"]
    assert how(questions, said) == [(0, 0, "close"), (1, 1, "close")]


def test_published_records_that_repeat_imperfectly_are_joined():
    """Each pair stands in the published judgements: a form feed for a backslash, a letter less, a phrase less."""
    pairs = [
        ("回答是否求出了a的值等于 $-\x0crac{1}{2}$", "回答是否求出了a的值等于 $-\\frac{1}{2}$"),
        ("是否指出“Kannst du Deutsch sprechen?”是一个疑问句", "是否指出“Kanst du Deutsch sprechen?”是一个疑问句"),
        (
            "如果回答认同用户反馈或没给用户反馈,是否给出了帮助改善口头表达能力的针对性建议",
            "如果回答认同用户反馈或没给用户反馈,是否给出了满足要求建议",
        ),
        ("number字段是否给出了3个号码且是2、8、14这三个", "number字段是否给出了3个号码且是2、8,14这三个"),
    ]
    questions, said = [list(side) for side in zip(*pairs, strict=True)]
    assert [(joint.question, joint.said) for joint in join(questions, said)] == [(0, 0), (1, 1), (2, 2), (3, 3)]
    assert not any(joint.how in ("exact", "none", "surplus") for joint in join(questions, said))


def test_numbers_name_the_place():
    questions = ["Is the sum 4?", "Is it polite?", "Is there a unit?"]
    assert how(questions, ["3", "Q1", "问题2"]) == [(0, 1, "position"), (1, 2, "position"), (2, 0, "position")]


def test_the_place_helps_where_a_text_is_only_somewhat_alike():
    questions = ["Does the answer name the capital of France?", "Is there a unit?"]
    said = ["capital of France named", "Is there a unit?"]
    assert how(questions, said) == [(0, 0, "position"), (1, 1, "exact")]


def test_a_failed_call_fits_nothing():
    assert how(["是否不认同用户反馈且没有提供回答", "b?"], ["API fialed"]) == [
        (0, None, "none"),
        (1, None, "none"),
        (None, 0, "surplus"),
    ]


def test_a_verdict_on_everything_at_once_leaves_questions_without_an_answer():
    assert how(["first?", "second one?"], ["first?"]) == [(0, 0, "exact"), (1, None, "none")]


TEXTS = st.lists(st.one_of(st.text(max_size=12), st.sampled_from(["a?", "A?", "1", "q2", "a ?", "“a”?"])), max_size=7)


@given(TEXTS, TEXTS)
def test_every_question_and_every_key_stands_in_one_joint(questions, said):
    joints = join(questions, said)
    assert [joint.question for joint in joints[: len(questions)]] == list(range(len(questions)))
    assert all(joint.question is None for joint in joints[len(questions) :])
    assert sorted(joint.said for joint in joints if joint.said is not None) == list(range(len(said)))


@given(TEXTS)
def test_the_questions_themselves_are_exact(questions):
    assert join(questions, questions) == [Joint(place, place, "exact") for place in range(len(questions))]


def test_a_text_that_is_just_alike_enough_is_matched() -> None:
    """Three letters of seven: 2 · 3 / (3 + 7) is exactly the least likeness that counts, 0.6."""
    assert how(["abcdefg", "something else"], ["abc"])[0] == (0, 0, "close")
