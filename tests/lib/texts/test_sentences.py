from lib.texts.sentences import paragraph


def test_sentences_are_parted_by_a_space_but_not_after_full_width_marks() -> None:
    assert paragraph(["It is late.", "", "Go home."]) == "It is late. Go home."
    assert paragraph(["很晚了。", "回家吧。"]) == "很晚了。回家吧。"
    assert paragraph(["没有标记", "回家吧。", "Go."]) == "没有标记 回家吧。Go."
    assert paragraph([]) == ""
