from xml.etree import ElementTree

from lib.charts.heat_map import HeatCell, HeatRow, heat_map


def cell(step: int | None = 3, **changes: object) -> HeatCell:
    return HeatCell(**{"said": "57 %", "below": "47–67", "step": step, "href": "/x?a=1&b=2", "label": "G, V"} | changes)


def drawn(rows: list[HeatRow], columns: int = 2) -> ElementTree.Element:
    return ElementTree.fromstring(heat_map([f"way {n}" for n in range(columns)], rows, label="a <map>"))


def test_every_cell_is_a_link_with_its_words_and_its_step() -> None:
    svg = drawn(
        [HeatRow("Grammar", "Long form", {0: cell(), 1: cell(None)}), HeatRow("R", "Factual", {1: cell(2, cool=True)})]
    )
    links = svg.findall("a")
    assert [link.get("class") for link in links] == ["heat-link heat-3", "heat-link heat-none", "heat-link cool-2"]
    assert {(link.get("href"), link.get("aria-label")) for link in links} == {("/x?a=1&b=2", "G, V")}
    assert svg.get("aria-label") == "a <map>"


def test_a_missing_cell_leaves_its_place() -> None:
    svg = drawn([HeatRow("Grammar", "Long form", {1: cell()}), HeatRow("Spelling", "Long form", {0: cell()})])
    right, left = (float(link.find("rect").get("x")) for link in svg.findall("a"))  # type: ignore[union-attr, arg-type]
    assert right > left


def test_every_ability_has_one_heading_and_nothing_lies_outside() -> None:
    rows = [HeatRow(f"row {n}", "Long form" if n < 2 else "Factual", {0: cell(), 1: cell()}) for n in range(4)]
    svg = drawn(rows)
    assert [text.text for text in svg.findall("text") if text.get("class") == "family"] == ["Long form", "Factual"]
    wide, high = float(svg.get("width") or 0), float(svg.get("height") or 0)
    for box in svg.iter("rect"):
        x, y, width, height = (float(box.get(name) or 0) for name in ("x", "y", "width", "height"))
        assert 0 <= x <= x + width <= wide
        assert 0 <= y <= y + height <= high


def test_hostile_names_are_text() -> None:
    svg = heat_map(["<script>"], [HeatRow("<b>", "&", {0: cell(label='"><x')})], label="")
    assert "<script>" not in svg
    assert "<b>" not in svg
    ElementTree.fromstring(svg)
