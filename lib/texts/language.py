"""The language of a text as a two-letter code, good enough to hand out work by."""

import re
from collections.abc import Iterable

from lib.texts.latin import is_prose, latin_language

LATIN_LANGUAGES = frozenset({"de", "en", "es", "fr", "it", "pt"})

# The beginning tells the language; the rest would only cost time.
_SAMPLE = 2_000

_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`|https?://\S+", re.DOTALL)
_LATIN_WORD = re.compile(r"[A-Za-z\u00c0-\u024f]+")
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af]")
_KANA = re.compile(r"[\u3041-\u309f\u30a1-\u30fa\u31f0-\u31ff\uff66-\uff9d]")
_HANGUL = re.compile(r"[\u1100-\u11ff\u3131-\u318e\uac00-\ud7a3]")
# Scripts that one widely used language has for itself, and letters that only its neighbours write.
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

    among: the languages to choose from where the script is Latin; others are told by their script.
    Chinese with code or formulas is Chinese. Only the first 2,000 characters are read.
    """
    sample = _CODE.sub(" ", text[:_SAMPLE])
    if not sample.isascii():
        language = _by_script(sample)
        if language is not None:
            return language
    return latin_language(sample, frozenset(among))


def _by_script(sample: str) -> str | None:
    """The language that the script tells, '' when the script has several, None when Latin prevails."""
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
    """Whether so many East Asian characters outweigh the Latin words, which count only as sentences."""
    words = _LATIN_WORD.findall(sample.lower())
    return 2 * characters >= len(words) or (characters > 1 and not is_prose(words))


def _by_alphabet(sample: str) -> str | None:
    latin = sum(map(len, _LATIN_WORD.findall(sample)))
    for code, (letters, foreign) in _ALPHABETS.items():
        if sum(map(len, letters.findall(sample))) > latin:
            return "" if foreign and foreign.search(sample.lower()) else code
    return None
