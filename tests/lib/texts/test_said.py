import copy
import json

import pytest
from django.utils.translation import override

from lib.texts.stored_sentences import StoredSentence, again, kept, say

MISSING = "is missing; this field is required."
GIVEN = "must be text, not %(given)s."
WHERE = "The key “%(key)s” is already in %(where)s; that one is used."


def stored(text: str) -> dict[str, object]:
    """As it comes out of the database."""
    return json.loads(json.dumps(kept(text, clean=str)))


def test_a_sentence_is_said_in_the_language_of_the_moment_and_again_in_another() -> None:
    with override("zh-hans"):
        chinese = say(MISSING)
    assert chinese != MISSING
    assert again(stored(chinese), "") == MISSING
    with override("zh-hans"):
        assert again(stored(say(MISSING)), "") == chinese


def test_values_come_along_and_sentences_among_them_are_said_again_too() -> None:
    with override("zh-hans"):
        where = say("line %(line)s") % {"line": 7}
        told = say(WHERE) % {"key": "a", "where": where}
    assert again(stored(told), "") == "The key “a” is already in line 7; that one is used."


def test_an_exception_does_not_lose_it() -> None:
    assert kept(str(ValueError(say(MISSING))), clean=str) is not None


def test_a_copy_does_not_lose_it() -> None:
    told = copy.deepcopy(say(GIVEN) % {"given": 7})
    assert isinstance(told, StoredSentence)
    assert stored(told) == {"id": GIVEN, "values": {"given": 7}}


@pytest.mark.parametrize(
    "text", ["anything", say(MISSING) + "!", f"{say(MISSING)} {say(MISSING)}", say(MISSING).upper()]
)
def test_a_text_that_is_no_sentence_of_ours_any_more_is_not_kept_as_one(text: str) -> None:
    assert kept(text, clean=str) is None


def test_quoted_texts_are_cleaned_before_they_are_stored() -> None:
    told = say(GIVEN) % {"given": "a\x00"}
    assert kept(told, clean=lambda text: text.replace("\x00", "␀")) == {"id": GIVEN, "values": {"given": "a␀"}}


@pytest.mark.parametrize("broken", [{}, {"id": GIVEN, "values": {}}, {"id": GIVEN, "values": None}, {"id": "%(a"}])
def test_what_cannot_be_put_together_is_said_as_it_was(broken: dict[str, object]) -> None:
    assert again(broken, "as it was") in ("as it was", GIVEN)
