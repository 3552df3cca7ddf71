import json
import random
from collections.abc import Iterator
from pathlib import Path

from benchmarks.figures import Figure, at_most
from benchmarks.in_process import processor_time
from benchmarks.places import DATABASES, installation, project
from tests.support.installation import Installation
from tests.support.samples import samples

ABOUT = (
    "The list of items, searched by a lead: milliseconds of CPU for the whole page, here and in the database server. "
    "Items of 1.2 kB of English, half of them with 150 characters of Chinese before."
)
FEW, MANY = 2_000, 100_000
TARGET = 200  # ms
WORDS = ["代码", "错误", "说明", "原因", "检查", "列表", "数据", "函数", "结果", "测试", "模型", "回答", "评价", "标准"]
QUERIES = {
    "one Chinese character, rare": "罕",
    "one Chinese character, in half of all": "码",
    "two Chinese characters, in half of all": "代码",
    "four Chinese characters": "代码错误",
    "one letter, in all": "e",
    "a word in a tenth": "Nairobi",
    "a word in a half": "rounded",
    "a word in all": "dictionary",
    "a phrase in all": "a python function that",
    "a phrase in a tenth": "list of orders",
    "a number in one item": "about 1234 a day",
    "no hit, of frequent pieces": "the number of the order of the",
    "no hit": "xylophone",
}


def measure() -> Iterator[Figure]:
    for database in DATABASES:
        with installation(database) as place:
            project(place)
            place.python(LEAD)
            yield from _measured(place, database, 0, FEW)
            yield from _measured(place, database, FEW, MANY)


def _measured(place: Installation, database: str, stored: int, items: int) -> Iterator[Figure]:
    """With so many items in all."""
    place.manage("import_items", "bench", _file(place.folder / "rows.jsonl", stored, items), "--no-checks")
    rate, megabytes = place.python(INDEX)
    yield Figure(f"{database}, {items:,}: items indexed", round(rate), unit="/s of CPU here")
    yield Figure(f"{database}, {items:,}: index", round(megabytes), unit="MB")
    without = processor_time(place, "lead", "/p/bench/items/")
    yield Figure(f"{database}, {items:,}: the list without a search", round(without, 1), unit="ms")
    for name, words in QUERIES.items():
        milliseconds = processor_time(place, "lead", f"/p/bench/items/?q={words}")
        yield at_most(f"{database}, {items:,}: {name}", round(milliseconds, 1), TARGET, "ms")


def _file(path: Path, start: int, end: int) -> Path:
    with path.open("w", encoding="utf-8") as file:
        for number, row in enumerate(samples(end - start, start), start=start):
            row["user_query"] = f"{_chinese(number)} {row['user_query']}".strip()
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
    return path


def _chinese(number: int) -> str:
    if number % 2:
        return ""
    chance = random.Random(number)
    return "".join(chance.choices(WORDS, k=75)) + ("罕" if number % 1000 == 0 else "")


LEAD = """
lead = User.objects.create_user("lead")
Member.objects.create(project=Project.objects.get(slug="bench"), user=lead, role="lead")
"""
INDEX = """
import time
from django.db import connection
from annotate.engine.chores import all_chores
from annotate.models import SearchPending

waiting, began = SearchPending.objects.count(), time.process_time()
for pk in all_chores()["index_items"].leases.claimable():
    all_chores()["index_items"].work(pk, whole=True)
rate = waiting / (time.process_time() - began)
with connection.cursor() as cursor:
    if connection.vendor == "postgresql":
        cursor.execute("VACUUM ANALYZE annotate_searchtext, annotate_searchgrams, annotate_item")
        cursor.execute("SELECT pg_total_relation_size('annotate_searchgrams') + "
                       "pg_total_relation_size('annotate_searchtext')")
    else:
        cursor.execute("ANALYZE")
        cursor.execute("SELECT sum(pgsize) FROM dbstat WHERE name LIKE 'annotate_search%%'")
    result = rate, (cursor.fetchone()[0] or 0) / 1e6
"""
