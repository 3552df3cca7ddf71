"""Grams against the plain question that they stand for: does the folded text contain the folded words?"""

from hypothesis import example, given
from hypothesis import strategies as st

from lib.texts.grams import LONGEST, Excerpt, excerpt, folded, grams, query

# Letters with and without case and accents, blanks, Han, kana, Hangul, full width, a letter that folds to two, emoji.
texts = st.text(alphabet="aAbBéÉïßSs  \n.,1代码错かカㄱ한Ａａ，🙂", max_size=60)


@given(texts, texts)
@example("xx代码yy", "码y")
def test_a_text_that_contains_a_query_has_all_its_grams(before: str, words: str) -> None:
    searched = query(words)
    text = f"{folded(before)}{searched.text}{folded(before)}"
    assert set(searched.grams) <= set(grams(text))


@given(texts, texts)
@example("ab", "ab")
def test_an_exact_query_needs_no_look_at_the_text(text: str, words: str) -> None:
    searched = query(words)
    if searched.exact:
        assert (set(searched.grams) <= set(grams(folded(text)))) == (searched.text in folded(text))


@given(texts)
def test_folding_twice_changes_nothing(text: str) -> None:
    assert folded(folded(text)) == folded(text)


@given(texts)
def test_grams_are_distinct_and_fit_into_63_bits(text: str) -> None:
    numbers = grams(folded(text))
    assert numbers == sorted(set(numbers))
    assert all(0 < number < 2**63 for number in numbers)


@given(texts, texts, texts)
def test_an_excerpt_is_a_part_of_the_text_that_folds_to_the_query(before: str, words: str, after: str) -> None:
    text = f"{before} {words} {after}"
    match = excerpt(text, folded(words))
    if match is not None:
        assert match.match in text
        assert folded(words) in folded(match.match)


def test_chinese_needs_one_or_two_characters() -> None:
    assert query("码").exact
    assert query("代码").exact
    assert not query("代码错").exact
    assert query("代码错").grams == sorted({*query("代码").grams, *query("码错").grams}, reverse=True)


def test_short_latin_queries_are_exact_too() -> None:
    assert all(query(words).exact for words in ("a", "AI", "GPT", "é"))
    assert not query("Nairobi").exact


def test_case_accents_width_and_white_space_make_no_difference() -> None:
    assert folded("  Caf\u00e9\n\tＡＩ　Straße ") == folded("cafe\u0301 ai STRASSE") == "cafe ai strasse"


def test_a_long_query_asks_for_few_grams() -> None:
    assert len(query("".join(map(chr, range(97, 123))) * 7).grams) <= 12


def test_nothing_to_search_for_has_no_grams() -> None:
    assert query(" \u0301 ").text == ""
    assert query("").grams == []


def test_an_excerpt_shows_the_text_as_it_was_written() -> None:
    assert excerpt("Das Cafe\u0301 in der Straße", "cafe in") == Excerpt("Das ", "Cafe\u0301 in", " der Straße")
    assert excerpt("请检查这段代码的错误", "代码") == Excerpt("请检查这段", "代码", "的错误")
    assert excerpt("第１２行， Ab", "12行, a") == Excerpt("第", "１２行， A", "b")
    assert excerpt("ß か\u3099 明", "明") == Excerpt("ß か\u3099 ", "明", "")
    assert excerpt("Ａ\u3099明", "a") == Excerpt("", "Ａ\u3099", "明")


def test_a_long_text_is_cut_on_both_sides() -> None:
    match = excerpt(f"{'x ' * 500}needle{' y' * 500}", "needle")
    assert match is not None
    assert match.before.startswith("…")
    assert match.after.endswith("…")
    assert len(match.before) + len(match.after) < 130


def test_an_excerpt_of_something_else_is_none() -> None:
    assert excerpt("text", "words") is None
    assert excerpt("text", "") is None


def test_the_limit_is_wide_enough_for_a_long_conversation() -> None:
    assert LONGEST >= 20_000
