"""The Chinese catalogue is complete, fits the texts it translates, and is what people see."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po
from django.test import Client

from annotate.chores import run_batch
from annotate.intake import batches, report
from annotate.intake.row_reader import Settings
from annotate.models import Batch, Project, User
from tests.support.desks import worker
from tests.support.files import row, write_rows
from tests.support.people import DRAFT, FACTS, make_item, make_member, make_project
from tests.support.programs import program

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "locale/zh_Hans/LC_MESSAGES/django.po"
NOT_SOURCES = shutil.ignore_patterns(".*", "var", "static", "staticfiles", "node_modules", "__pycache__", "locale")
PLACEHOLDER = re.compile(r"%%|%\(\w+\)[.\d]*\w|\{\w*\}|</?\w[^>]*>")
HAN = "[\u4e00-\u9fff]"
HALF_WIDTH = re.compile(rf"{HAN}[,.;:?!()]|[,;:?!()]{HAN}")
SENTENCE = re.compile(r"[A-Za-z]+(?: [A-Za-z’']+){2,}")
NAMES = {"English"}  # a language calls itself by its own name, so that those find it who speak no other


def catalogue(path: Path) -> Catalog:
    with path.open("rb") as file:
        return read_po(file, locale="zh_Hans")


CHINESE = catalogue(SOURCE)


def messages(of: Catalog) -> Iterator[Message]:
    return (message for message in of if message.id)


def originals(message: Message) -> tuple[str, ...]:
    """The English texts: one, or singular and plural."""
    return tuple(message.id) if isinstance(message.id, (tuple, list)) else (message.id,)


def translations(message: Message) -> tuple[str, ...]:
    return tuple(message.string) if isinstance(message.string, (tuple, list)) else (message.string,)


# --- the catalogue --------------------------------------------------------------------------------------------------
def test_every_text_is_translated() -> None:
    assert [one.id for one in messages(CHINESE) if not all(translations(one))] == []


def test_no_translation_is_a_guess_or_left_over() -> None:
    assert not CHINESE.fuzzy
    assert [one.id for one in messages(CHINESE) if one.fuzzy] == []
    assert list(CHINESE.obsolete) == []


def test_a_translation_has_the_placeholders_and_tags_of_its_text() -> None:
    def placed(text: str) -> list[str]:
        return sorted(PLACEHOLDER.findall(text))

    assert [
        one.id for one in messages(CHINESE) for text in translations(one) if placed(text) != placed(originals(one)[-1])
    ] == []


def test_chinese_is_punctuated_in_full_width() -> None:
    texts = [PLACEHOLDER.sub("…", text) for one in messages(CHINESE) for text in translations(one)]
    assert [text for text in texts if HALF_WIDTH.search(text)] == []


def test_the_catalogue_holds_exactly_the_texts_of_the_sources(tmp_path: Path) -> None:
    program("/usr/bin/xgettext", "gettext")
    copy = tmp_path / "copy"
    shutil.copytree(ROOT, copy, ignore=NOT_SOURCES)
    (copy / "locale").mkdir()
    collect(copy, data=tmp_path / "data")
    found = catalogue(copy / SOURCE.relative_to(ROOT))
    assert {key(one) for one in messages(found)} == {key(one) for one in messages(CHINESE)}, "run `make messages`"


def test_markers_of_texts_keep_their_names() -> None:
    """`makemessages` knows `gettext_noop` and `_`; texts under another name stayed English."""
    sources = [path for folder in ("annotate", "judging", "lib") for path in (ROOT / folder).rglob("*.py")]
    alias = re.compile(r"gettext_noop as (?!_\b)")
    assert [path.name for path in sources if alias.search(path.read_text(encoding="utf-8"))] == []


def collect(project: Path, *, data: Path) -> None:
    """Collect the texts of a project's sources as `make messages` does."""
    command = ["manage.py", "makemessages", "-l", "zh_Hans", "--no-wrap", "--ignore", ".venv", "--ignore", "var"]
    environment = os.environ | {"SECRET_KEY": "only-to-read-the-code", "DATA_DIR": str(data)}
    environment["DJANGO_SETTINGS_MODULE"] = "config.settings"
    done = subprocess.run([sys.executable, *command], cwd=project, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def key(message: Message) -> tuple[str | None, tuple[str, ...]]:
    return message.context, originals(message)


# --- pages ----------------------------------------------------------------------------------------------------------
class Texts(HTMLParser):
    """What a page says: its texts, and the attributes that are read out or shown."""

    SAID = ("aria-label", "title", "placeholder", "alt")
    UNSEEN = ("script", "style", "textarea", "code", "kbd")

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self._inside: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [value.strip() for name, value in attrs if name in self.SAID and value]
        if tag in self.UNSEEN:
            self._inside.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self._inside:
            self._inside.remove(tag)

    def handle_data(self, data: str) -> None:
        if not self._inside and data.strip():
            self.found.append(" ".join(data.split()))


OURS = {text for one in messages(CHINESE) for text in originals(one) if text not in (*translations(one), *NAMES)}
DATA = {str(value) for value in (*FACTS.values(), DRAFT["feedback"])} | {text for text, _ in DRAFT["checklist"]}


def english(page: str) -> list[str]:
    """What is left in English on a Chinese page: texts that we could translate, and sentences nobody wrapped."""
    said = Texts(page).found
    return [text for text in said if text in OURS or (SENTENCE.fullmatch(text) and text not in DATA)]


def chinese(client: Client, address: str, status: int = 200) -> str:
    answer = client.get(address, headers={"accept-language": "zh-hans"}, follow=True)
    assert answer.status_code == status
    page = answer.content.decode()
    assert '<html lang="zh-hans"' in page
    return page


def client_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def project() -> Project:
    made = make_project(slug="fb")
    make_item(made, suggestion=DRAFT)
    return made


@pytest.fixture
def lead(project: Project) -> Client:
    return client_of(make_member(project, "lead").user)


def test_what_is_compiled_is_what_is_written() -> None:
    compiled = SOURCE.with_suffix(".mo")
    assert compiled.exists(), "run `make setup`: the translations are not compiled"
    assert compiled.stat().st_mtime >= SOURCE.stat().st_mtime, "run `make setup`: the compiled translations are old"


def test_english_that_is_left_over_is_found() -> None:
    page = '<p title="Save">保存</p><p>Nobody wrapped this</p><b>Next</b><code>a b c d</code>'
    assert english(page) == ["Save", "Nobody wrapped this", "Next"]


@pytest.mark.django_db
@pytest.mark.parametrize("address", ["/accounts/login/", "/accounts/password/reset/", "/accounts/signup/"])
def test_the_entrance_is_chinese(address: str) -> None:
    assert english(chinese(Client(), address)) == []


@pytest.mark.django_db
@pytest.mark.parametrize(
    "page", ["", "items/", "people/", "guidelines/", "guidelines/edit/", "settings/", "import/", "releases/", "review/"]
)
def test_the_pages_of_a_lead_are_chinese(lead: Client, page: str) -> None:
    said = chinese(lead, f"/p/fb/{page}")
    assert english(said) == []
    assert {"概览", "工作", "数据", "模型", "结果", "团队与设置"} <= set(Texts(said).found)


@pytest.mark.django_db
@pytest.mark.parametrize("address", ["/", "/projects/", "/projects/new/", "/preferences/", "/inbox/", "/accounts/2fa/"])
def test_the_pages_of_an_account_are_chinese(lead: Client, address: str) -> None:
    assert english(chinese(lead, address)) == []


@pytest.mark.django_db
def test_an_item_is_shown_in_chinese(lead: Client, project: Project) -> None:
    assert english(chinese(lead, f"/p/fb/items/{project.items.get().pk}/")) == []


@pytest.mark.django_db
def test_the_work_page_is_chinese() -> None:
    ana = worker()
    said = chinese(ana.client, ana.address("work_item", ana.opened()))
    assert english(said) == []
    assert {"提交并继续", "跳过", "反馈", "检查清单"} <= set(Texts(said).found)


@pytest.mark.django_db
def test_a_stranger_is_refused_in_chinese(lead: Client) -> None:
    assert english(chinese(lead, "/p/elsewhere/", status=404)) == []


@pytest.mark.django_db
def test_a_worker_tells_the_problems_of_a_file_in_the_language_of_its_uploader(project: Project) -> None:
    uploader = make_member(project, "lead").user
    User.objects.filter(pk=uploader.pk).update(language="zh-hans")
    uploader.refresh_from_db()
    name = report.random_name()
    write_rows(report.uploaded(name), [row(1, feedback=7), row(2)])
    columns = {"stored_as": name, "sha256": "0" * 64}
    batch = batches.start(project=project, file_name="up.jsonl", settings=Settings("jsonl"), by=uploader, **columns)
    run_batch.work(batch.pk)
    told = [problem["message"] for problem in Batch.objects.get(pk=batch.pk).problems]
    assert told == ["必须是文本，而不是 7。"]
