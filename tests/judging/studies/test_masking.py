import pytest

from judging.studies.masking import MASK, PHRASES, telling


@pytest.mark.parametrize("said", ["GPT-4", "gpt4", "Gpt 4", "GPT_4", "gpt‑4"])
def test_a_name_is_found_however_it_is_joined(said: str) -> None:
    found = telling(["GPT-4"]).mask(f"Ask {said}, please.")
    assert found.text == f"Ask {MASK}, please."
    assert found.words == {"GPT-4": 1}


@pytest.mark.parametrize("said", ["GPT-40", "Beryllium", "Cyberyl", "the 4 GPTs"])
def test_a_name_inside_another_word_is_none(said: str) -> None:
    assert telling(["GPT-4", "Beryl"]).found_in(said) == {}


def test_a_longer_name_goes_whole_and_a_chinese_one_without_spaces() -> None:
    names = telling(["Opal", "Opal-9B Chat", "文心一言"])
    assert names.mask("Opal-9B Chat and opal").text == f"{MASK} and {MASK}"
    assert names.mask("我叫文心一言很高兴").text == f"我叫{MASK}很高兴"


def test_what_is_too_short_is_said_and_not_looked_for() -> None:
    names = telling(["a", "o1", "通"])
    assert sorted(names.short) == ["a", "o1", "通"]
    assert names.mask("a of o1").text == "a of o1"


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("As an AI assistant developed by Gem Works, I cannot.", "[…], I cannot."),
        ("as an AI developed by GemWorks. Next.", "[…]. Next."),
        ("Well, I’m an AI model made by the Gem people!", "Well, […]!"),
        ("I was trained by Gem; ask.", "[…]; ask."),
        ("你好，我是由宝石公司开发的助手，很高兴。", "你好，[…]，很高兴。"),
        ("作为宝石公司训练的模型，我不能。", "[…]，我不能。"),
    ],
)
def test_house_phrases_go_with_the_name_in_them(said: str, left: str) -> None:
    assert telling([], PHRASES).mask(said).text == left


@pytest.mark.parametrize(
    "said", ["Penicillin was developed by Fleming.", "She was trained by wolves.", "As a doctor, I."]
)
def test_others_may_be_developed_and_trained(said: str) -> None:
    assert telling([], PHRASES).mask(said).text == said


def test_a_text_of_nothing_but_a_name_is_empty_afterwards() -> None:
    assert telling(["Opal"]).mask(" opal. Opal").is_empty is False  # a full stop is something to read
    assert telling(["Opal"]).mask(" opal Opal ").is_empty


def test_masking_twice_changes_nothing_more() -> None:
    names = telling(["Opal", "GemWorks"], PHRASES)
    once = names.mask("As an AI developed by GemWorks, Opal says: opal.").text
    assert names.mask(once).text == once
