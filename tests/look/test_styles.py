import re
from pathlib import Path

import pytest
from django.conf import settings

CSS = Path(settings.BASE_DIR) / "static" / "css"
SHEETS = sorted(CSS.glob("*.css"))
COLOUR = re.compile(r"#[0-9a-fA-F]{3,8}\b(?![\w-]*\s*\{)|\b(?:rgb|hsl|oklch)a?\(")


def declared(selector: str) -> dict[str, str]:
    """Custom properties of the first block of tokens.css that begins with this selector."""
    text = (CSS / "tokens.css").read_text()
    body = text[text.index(selector + " {") :].split("}", 1)[0]
    return dict(re.findall(r"(--[\w-]+):\s*([^;]+);", body))


LIGHT = declared(":root")
DARK = LIGHT | declared(':root[data-theme="dark"]')


COLOURED = ("tokens.css", "heat.css")  # the second is written from the stops of a scale, see test_heat_colours.py


@pytest.mark.parametrize("sheet", [s for s in SHEETS if s.name not in COLOURED], ids=lambda s: s.name)
def test_colours_are_tokens(sheet: Path) -> None:
    rules = re.sub(r"/\*.*?\*/", "", sheet.read_text(), flags=re.S)
    assert COLOUR.findall(rules) == []


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda s: s.name)
def test_every_token_that_is_read_is_declared(sheet: Path) -> None:
    read = set(re.findall(r"var\((--[\w-]+)", sheet.read_text()))
    assert read <= set(LIGHT)


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda s: s.name)
def test_braces_are_balanced(sheet: Path) -> None:
    text = re.sub(r"/\*.*?\*/", "", sheet.read_text(), flags=re.S)
    assert text.count("{") == text.count("}")


def test_dark_and_automatic_are_the_same_dark() -> None:
    assert declared(':root[data-theme="dark"]') == declared(':root[data-theme="auto"]')


def luminance(colour: str) -> float:
    channels = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """WCAG 2 contrast ratio, 1 to 21."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_black_on_white_has_the_greatest_contrast() -> None:
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21)


GROUNDS = ["--canvas", "--surface", "--sunken", "--raised", "--hover", "--ink-tint"]
READ = [(text, ground) for text in ("--text", "--text-2", "--text-3", "--link") for ground in GROUNDS]
READ += [(f"--{role}", f"--{role}-tint") for role in ("ok", "caution", "danger", "override", "gold", "ins", "del")]
READ += [("--on-ink", "--ink"), ("--on-ink", "--ink-hover"), ("--on-danger", "--danger-solid")]
SEEN = [("--line-control", ground) for ground in ("--canvas", "--surface", "--raised")]
SEEN += [("--focus", ground) for ground in GROUNDS]


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize(("front", "ground"), READ)
def test_what_is_read_can_be_read(theme: dict[str, str], front: str, ground: str) -> None:
    assert contrast(theme[front], theme[ground]) >= 4.5


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize(("front", "ground"), SEEN)
def test_what_is_only_seen_can_be_seen(theme: dict[str, str], front: str, ground: str) -> None:
    assert contrast(theme[front], theme[ground]) >= 3
