from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotate.errors import Refused
from annotate.management.command import ContractCommand
from annotate.media.actions import Added, add_all
from annotate.media.bundles import add_bundle
from annotate.models import Project
from lib.media.archives import is_zip
from lib.media.sniffing import MOST_BYTES


class Command(ContractCommand):
    help = "Add pictures and documents to a project, for rows that name them; of a folder or a zip, all that is in it."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug")
        parser.add_argument("files", nargs="+", metavar="FILE")

    def handle(self, *args: Any, **options: Any) -> None:
        project = self.project(options["slug"])
        if not project.kind.defined:
            self.refuse(
                f"{project.slug} is of the kind {project.kind_slug}; only projects of the kind form show files."
            )
        missing = [name for name in options["files"] if not Path(name).exists()]
        if missing:
            self.refuse(f"There is no file {', '.join(missing)}. Check the path.")
        zips = [name for name in options["files"] if self._is_zip(Path(name))]
        others = [name for name in options["files"] if name not in zips]
        added = add_all(project=project, files=self._contents(others), by=None)
        for name in zips:
            self._add_zip(project, name, added)
        counts = {"added": added.new, "known": added.known, "refused": added.refused}
        self.report(counts, as_json=options["json"], text="\n".join([added.in_words(), *added.refused]))
        if added.refused:
            self.refuse(f"{len(added.refused)} of the files were not added.")

    def _is_zip(self, path: Path) -> bool:
        if not path.is_file():
            return False
        try:
            with path.open("rb") as file:
                return is_zip(file)
        except OSError:
            return False  # `_read` says why

    def _add_zip(self, project: Project, name: str, added: Added) -> None:
        try:
            unpacked = add_bundle(Path(name), project=project, by=None)
        except Refused as refused:
            added.refused.append(f"{name}: {refused}")
        else:
            added.new += unpacked.new
            added.known += unpacked.known
            added.refused += unpacked.refused

    def _contents(self, names: list[str]) -> Iterator[tuple[str, bytes]]:
        """A file is named by the last part of its path, one in a folder by its path in there."""
        for given in map(Path, names):
            for path in sorted(given.rglob("*")) if given.is_dir() else [given]:
                if path.is_file() and not path.is_symlink():
                    name = path.relative_to(given).as_posix() if given.is_dir() else path.name
                    yield name, self._read(path)

    def _read(self, path: Path) -> bytes:
        try:
            with path.open("rb") as file:
                return file.read(MOST_BYTES + 1)
        except OSError as fault:
            self.refuse(f"{path} cannot be read: {fault.strerror}. Nothing after it was added.")
