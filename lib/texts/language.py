"""Language detection: two-letter codes, good enough to assign work by.

The script decides where it can. Languages in Latin script are told apart by their function words, else by lingua.
"""

import re
from collections.abc import Iterable
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
# With fewer letters the statistical model is unreliable.
_LETTERS_FOR_STATISTICS = 40
_CODE_SIGNS_PER_LETTER = 0.15


def latin_language(text: str, among: frozenset[str]) -> str:
    """One of `among` (two-letter codes), or "" where the text is too short, code, or undecided."""
    words = _WORD.findall(text.lower()) if text.isascii() else [word.lower() for word in _WORD.findall(text)]
    letters = sum(map(len, words))
    if len(words) < _FEWEST_WORDS or len(_CODE_SIGN.findall(text)) > _CODE_SIGNS_PER_LETTER * letters:
        return ""
    voted = _most_voted(words, among)
    if voted or letters < _LETTERS_FOR_STATISTICS:
        return voted
    return _by_statistics(text, among)


def is_prose(words: list[str]) -> bool:
    """Whether lower-case Latin words form sentences: one in six is a function word of some language."""
    return 6 * sum(map(_ANY_SMALL_WORD.__contains__, words)) >= len(words)


def _most_voted(words: list[str], among: frozenset[str]) -> str:
    """The language with the most function words, if one word in six is such a word."""
    small_words = list(filter(_LANGUAGES_WITH.__contains__, words))
    votes = [(sum(map(_SMALL[code].__contains__, small_words)), code) for code in among & _SMALL.keys()]
    (second, _), (most, code) = sorted([(0, ""), (0, ""), *votes])[-2:]
    return code if most > second and 6 * most >= len(words) else ""


def _by_statistics(text: str, among: frozenset[str]) -> str:
    detector = _detector(among)
    language = detector.detect_language_of(text) if detector else None
    return language.iso_code_639_1.name.lower() if language else ""


@lru_cache(maxsize=8)
def _detector(among: frozenset[str]) -> "LanguageDetector | None":
    import lingua  # imported here, because its models take memory that most processes never need

    languages = [language for language in lingua.Language.all_with_latin_script() if _code(language) in among]
    if len(languages) < 2:
        return None
    builder = lingua.LanguageDetectorBuilder.from_languages(*languages)
    return builder.with_low_accuracy_mode().with_minimum_relative_distance(0.2).build()


def _code(language: object) -> str:
    return language.iso_code_639_1.name.lower()  # type: ignore[attr-defined]


_SMALL = {code: frozenset(words.split()) for code, words in SMALL_WORDS.items()}
_LANGUAGES_WITH = {
    word: {code for code, words in _SMALL.items() if word in words} for word in frozenset().union(*_SMALL.values())
}
_ANY_SMALL_WORD = frozenset().union(*_SMALL.values()) - {"a", "e", "i", "o", "y", "if", "for", "in", "is", "not", "do"}


# The language of a text.


LATIN_LANGUAGES = frozenset({"de", "en", "es", "fr", "it", "pt"})

# The beginning is enough to detect the language; the rest would only cost time.
_SAMPLE = 2_000

_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`|https?://\S+", re.DOTALL)
_LATIN_WORD = re.compile(r"[A-Za-z\u00c0-\u024f]+")
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af]")
_KANA = re.compile(r"[\u3041-\u309f\u30a1-\u30fa\u31f0-\u31ff\uff66-\uff9d]")
_HANGUL = re.compile(r"[\u1100-\u11ff\u3131-\u318e\uac00-\ud7a3]")
# Scripts of a single widely used language, and letters that only related languages use.
_ALPHABETS = {
    "ar": (re.compile(r"[\u0621-\u06d3]+"), re.compile("[پچژگٹڈڑے]")),
    "el": (re.compile(r"[\u0370-\u03ff\u1f00-\u1fff]+"), None),
    "he": (re.compile(r"[\u05d0-\u05ea]+"), None),
    "hi": (re.compile(r"[\u0900-\u097f]+"), re.compile("[ळॅ]")),
    "ru": (re.compile(r"[\u0400-\u04ff]+"), re.compile("[іїєґўјљњћђџѓќѕ]")),
    "th": (re.compile(r"[\u0e00-\u0e7f]+"), None),
}


def language_of(text: str, among: Iterable[str] = LATIN_LANGUAGES) -> str:
    """'zh', 'en', 'ja', 'ko', 'ru', … or '' when unsure.

    among: the languages to choose from where the script is Latin; others are detected by their script.
    Chinese with code or formulas is Chinese. Only the first 2,000 characters are read.
    """
    sample = _CODE.sub(" ", text[:_SAMPLE])
    if not sample.isascii():
        language = _by_script(sample)
        if language is not None:
            return language
    return latin_language(sample, frozenset(among))


def _by_script(sample: str) -> str | None:
    """The language of the script, '' if the script has several, None if Latin prevails."""
    han, kana, hangul = (len(script.findall(sample)) for script in (_HAN, _KANA, _HANGUL))
    east_asian = han + kana + hangul
    if not east_asian:
        return _by_alphabet(sample)
    if not _prevails(east_asian, sample):
        return None
    if 3 * hangul > east_asian:
        return "ko"
    return "ja" if 10 * kana > east_asian else "zh"


def _prevails(characters: int, sample: str) -> bool:
    """Whether these East Asian characters outweigh the Latin words, which count only if they form sentences."""
    words = _LATIN_WORD.findall(sample.lower())
    return 2 * characters >= len(words) or (characters > 1 and not is_prose(words))


def _by_alphabet(sample: str) -> str | None:
    latin = sum(map(len, _LATIN_WORD.findall(sample)))
    for code, (letters, foreign) in _ALPHABETS.items():
        if sum(map(len, letters.findall(sample))) > latin:
            return "" if foreign and foreign.search(sample.lower()) else code
    return None
