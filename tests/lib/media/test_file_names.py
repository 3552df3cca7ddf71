import unicodedata

import pytest

from lib.media.file_names import BadName, clean_name, short_name


@pytest.mark.parametrize(
    ("written", "stored"),
    [
        ("cat.png", "cat.png"),
        ("./pictures//cat.png", "pictures/cat.png"),
        ("pictures\\猫.png", "pictures/猫.png"),
        (unicodedata.normalize("NFD", "é.png"), unicodedata.normalize("NFC", "é.png")),
        ("a..b.png", "a..b.png"),
    ],
)
def test_names_have_one_form(written: str, stored: str) -> None:
    assert clean_name(written) == stored
    assert clean_name(stored) == stored


@pytest.mark.parametrize(
    "address", ["https://example.invalid/a.png", "HTTP://x/", "//x/a.png", "data:image/png;base64,AA"]
)
def test_addresses_are_refused_with_a_remedy(address: str) -> None:
    with pytest.raises(BadName, match=r"never fetched\. Add the file to the project"):
        clean_name(address)


@pytest.mark.parametrize("name", ["../a.png", "a/../../b.png", "/etc/passwd", "C:\\a.png", "..\\a.png", "\\a.png"])
def test_names_stay_in_their_folder(name: str) -> None:
    with pytest.raises(BadName, match="out of its folder"):
        clean_name(name)


@pytest.mark.parametrize(
    ("name", "cause"),
    [
        ("", "must be"),
        (" ./ ", "must be"),
        ("a\x00.png", "invisible"),
        ("a\u202egnp.exe", "invisible"),
        ("a" * 201, "longer"),
    ],
)
def test_names_can_be_read(name: str, cause: str) -> None:
    with pytest.raises(BadName, match=cause):
        clean_name(name)


def test_people_know_a_file_by_the_last_part() -> None:
    assert short_name("pictures/cat.png") == "cat.png"
