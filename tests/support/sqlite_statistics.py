"""Statistics as `ANALYZE` leaves them on SQLite for 200,000 items, of which a tenth wait; for tests of plans."""

from django.db import connection

# (table, index, rows and how many of them have equal values in the first columns); an empty index has no row.
ROWS = [
    ("annotate_annotation", "annotate_annotation_author_id_64e85cec", "559978 79997"),
    ("annotate_annotation", "annotations_newest_first", "559978 3 1"),
    ("annotate_annotation", "one_annotation_a_slot_and_person", "359978 1 1"),
    ("annotate_item", "items_by_change", "200000 200000 1 1"),
    ("annotate_item", "items_by_group", "200000 200000 25000 1"),
    ("annotate_item", "annotate_item_base_id_8754e9ed", "200000 2"),
    ("annotate_item", "items_by_content", "200000 200000 1"),
    ("annotate_item", "items_by_priority", "200000 200000 200000 1"),
    ("annotate_item", "sqlite_autoindex_annotate_item_1", "200000 200000 1"),
    ("annotate_item", "items_by_state", "200000 200000 100000 1"),
    ("annotate_item", "items_by_state_and_change", "200000 200000 100000 1 1"),
    ("annotate_item", "items_counted", "200000 200000 200000 50000 25000"),
    ("annotate_item", "items_in_order", "200000 200000 1"),
    ("annotate_item", "items_searched", "200000 200000 1 1 1"),
    ("annotate_searchtext", "sqlite_autoindex_annotate_searchtext_1", "200000 1"),
    ("annotate_slot", "annotate_slot_about_id_31b1dd7e", "379989 3"),
    ("annotate_slot", "annotate_slot_holder_id_0173aa6e", "379989 54285"),
    ("annotate_slot", "annotate_slot_reserved_for_id_583447de", "379989 379989"),
    ("annotate_slot", "one_slot_a_person_a_round", "359978 2 2 1"),
    ("annotate_slot", "open_reviews_in_order", "20011 20011 20011 20011 201 1"),
    ("annotate_slot", "open_slots_in_order", "20011 20011 20011 20011 1"),
    ("annotate_slot", "slots_by_holder", "379989 379989 54285 54285"),
    ("annotate_slot", "submitted_slots", "359978 359978 359978 179989 29998 1"),
    ("annotate_slot", "sqlite_autoindex_annotate_slot_1", "379989 2 1 1 1"),
]


def set_statistics() -> None:
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
        cursor.execute("DELETE FROM sqlite_stat1")
        cursor.executemany("INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES (%s, %s, %s)", ROWS)
        cursor.execute("ANALYZE sqlite_master")  # reads them
