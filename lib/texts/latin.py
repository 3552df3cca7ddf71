"""Tells languages in Latin script apart: by their small words where they have some, else by lingua."""

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lingua import LanguageDetector

SMALL_WORDS = {
    "de": "der die das und ist nicht ein eine einen den dem des zu mit auf für im von wie was ich sie es auch wird "
    "sind bitte über als aus bei kann oder",
    "en": "a the of and to is are was were in that it for on with as this be by an what how why which who when where "
    "you i we they his her its from have has had not can please about my me your at or if do does did should would "
    "will there some most all between write tell give make explain name help show find",
    "es": "a el la los las de que y en un una es por con para se del lo como más pero qué cuál cómo está son su al",
    "fr": "a le la les des de et est un une que qui dans pour par sur pas plus avec ce cette du au il je vous où "
    "quelle comment sont ne",
    "it": "a il lo la gli le di che e è un una per con non del della dei nel sono come più qual cosa questo questa si "
    "al alla",
    "pt": "o a os as de que e é um uma para com não em do da dos das no na por se como mais qual são ao está você",
}

_WORD = re.compile(r"[^\W\d_]+")
_CODE_SIGN = re.compile(r"[{}();=<>\[\]_/\\|]")
_FEWEST_WORDS = 3
# With fewer letters the statistics guess wildly.
_LETTERS_FOR_STATISTICS = 40
_CODE_SIGNS_PER_LETTER = 0.15


def latin_language(text: str, among: frozenset[str]) -> str:
    """One of `among` (two-letter codes), or "" where the text is too short, code, or undecided."""
    words = [word.lower() for word in _WORD.findall(text)]
    letters = sum(map(len, words))
    if len(words) < _FEWEST_WORDS or len(_CODE_SIGN.findall(text)) > _CODE_SIGNS_PER_LETTER * letters:
        return ""
    voted = _most_voted(words, among)
    if voted or letters < _LETTERS_FOR_STATISTICS:
        return voted
    return _by_statistics(text, among)


def is_prose(words: list[str]) -> bool:
    """Whether lower-case Latin words read as sentences: one in six is a small word of some language."""
    return 6 * sum(word in _ANY_SMALL_WORD for word in words) >= len(words)


def _most_voted(words: list[str], among: frozenset[str]) -> str:
    """The language with more small words than any other, if one word in six is such a word."""
    votes = [(sum(word in _SMALL[code] for word in words), code) for code in among & _SMALL.keys()]
    (second, _), (most, code) = sorted([(0, ""), (0, ""), *votes])[-2:]
    return code if most > second and 6 * most >= len(words) else ""


def _by_statistics(text: str, among: frozenset[str]) -> str:
    detector = _detector(among)
    language = detector.detect_language_of(text) if detector else None
    return language.iso_code_639_1.name.lower() if language else ""


@lru_cache(maxsize=8)
def _detector(among: frozenset[str]) -> "LanguageDetector | None":
    import lingua  # here, since its models take memory that most processes never need

    languages = [language for language in lingua.Language.all_with_latin_script() if _code(language) in among]
    if len(languages) < 2:
        return None
    builder = lingua.LanguageDetectorBuilder.from_languages(*languages)
    return builder.with_low_accuracy_mode().with_minimum_relative_distance(0.2).build()


def _code(language: object) -> str:
    return language.iso_code_639_1.name.lower()  # type: ignore[attr-defined]


_SMALL = {code: frozenset(words.split()) for code, words in SMALL_WORDS.items()}
_ANY_SMALL_WORD = frozenset().union(*_SMALL.values()) - {"a", "e", "i", "o", "y", "if", "for", "in", "is", "not", "do"}
