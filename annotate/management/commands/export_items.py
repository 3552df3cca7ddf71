import json
import os
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotate.audit.trail import record_reading
from annotate.errors import Refused
from annotate.management.command import ContractCommand, collect_garbage_rarely
from annotate.models import Item, Project, Release
from annotate.releases import actions, conversion
from annotate.releases.actions import ANY, ITEMS, RATERS, ReleaseFilters, fault_of_splits
from annotate.releases.files import copy_whole, path_of, write_pieces, write_whole
from annotate.releases.manifests import companions, with_companions


def _text(value: dict[str, Any], out: Path, held: dict[str, Any]) -> str:
    lines = [f"Version {value['version']}: {value['rows']} rows in {out}, SHA-256 {value['sha256']}"]
    lines += [f"Not included: {omission}." for omission in held.get("cannot_hold", [])]
    return "\n".join([*lines, *([f"Also written: {held['beside']}"] if "beside" in held else [])])


class Command(ContractCommand):
    help = "Write a release: a JSON lines file and its manifest, listed among the project's versions."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug")
        parser.add_argument("--out", required=True, metavar="FILE.jsonl")
        help_text = (
            "default: jsonl, or parquet if FILE is called so; the release itself stays JSON lines, FILE has its rows "
            "in the format of another tool"
        )
        parser.add_argument("--format", choices=["jsonl", *conversion.writers()], help=help_text)
        parser.add_argument(
            "--rows",
            choices=[ITEMS, RATERS],
            default=ITEMS,
            help="one row per item (the default), or one for each rater of an item, as import_ratings reads them",
        )
        parser.add_argument("--names", action="store_true", help="with --rows raters: names, not numbers")
        parser.add_argument(
            "--state",
            choices=[ANY, *Item.State.values],
            help="default: accepted; with --rows raters any",
        )
        parser.add_argument("--group", action="append", default=[], help="only this group; may be repeated")
        parser.add_argument("--language", action="append", default=[], help="only this language; may be repeated")
        parser.add_argument("--split", action="append", default=[], metavar="NAME=SHARE", help="such as train=0.8")
        parser.add_argument("--seed", type=int, default=0, help="seed of the splits")
        parser.add_argument("--metadata", action="store_true", help="with the columns that only leads see")
        parser.add_argument("--licence", default="")
        parser.add_argument("--note", default="")

    def handle(self, *args: Any, **options: Any) -> None:
        collect_garbage_rarely()
        project, out = self.project(options["slug"]), Path(options["out"])
        slug = options["format"] or ("parquet" if out.suffix.lower() == ".parquet" else "jsonl")
        filters = self._filters(options)
        self._check_format(slug, filters)
        self._check_target(out)
        release = self._released(project, filters, options)
        written = self._write(release, out, slug)
        for name, content in companions(written, out.name).items():
            write_whole(out.with_name(name), content)
        manifest_text = json.dumps(with_companions(written, out.name), ensure_ascii=False, indent=2, allow_nan=False)
        write_whole(out.with_name(f"{out.name}.manifest.json"), f"{manifest_text}\n".encode())
        record_reading("read.export", release, file=out.name, rows=release.rows)
        value = {"rows": release.rows, "sha256": written["sha256"], "version": release.version}
        held: dict[str, Any] = {
            name: written[name] for name in ("written_as", "cannot_hold", "beside") if name in written
        }
        self.report(value | held, as_json=options["json"], text=_text(value, out, held))

    def _released(self, project: Project, filters: ReleaseFilters, options: dict[str, Any]) -> Release:
        texts = {"note": options["note"][:200], "licence": options["licence"][:80]}
        try:
            planned = actions.plan(project=project, filters=filters, by=None, **texts)
        except Refused as refused:
            self.refuse(str(refused))
        claimed = actions.leases.claim(planned.pk)
        if claimed is None:
            raise CommandError("A worker is already writing this release; see the project's releases.")
        return actions.write(claimed)

    def _write(self, release: Release, out: Path, slug: str) -> dict[str, Any]:
        """The file in that format, and the companion of the format. Returns its manifest."""
        writer = conversion.writers().get(slug)
        if writer is None:
            copy_whole(path_of(release.stored_as), out)
            return dict(release.manifest)
        sha256 = write_pieces(out, conversion.converted(release, writer))
        manifest = conversion.converted_manifest(writer, release.manifest, sha256)
        if writer.beside_as:
            companion_path = out.with_name(f"{out.name}{writer.beside_as}")
            write_whole(companion_path, conversion.companion_file(release, writer))
            manifest["beside"] = companion_path.name
        return manifest

    def _filters(self, options: dict[str, Any]) -> ReleaseFilters:
        splits = self.split_shares(options["split"])
        fault = fault_of_splits(splits)
        if fault:
            self.misuse(fault)
        return ReleaseFilters(
            state=options["state"] or (ANY if options["rows"] == RATERS else Item.State.ACCEPTED.value),
            groups=options["group"],
            languages=options["language"],
            splits=splits,
            seed=options["seed"],
            metadata=options["metadata"],
            rows=options["rows"],
            names=options["names"],
        )

    def _check_format(self, slug: str, filters: ReleaseFilters) -> None:
        writer = conversion.writers().get(slug)
        if filters.rows == RATERS and writer is not None and not writer.is_table:
            tables = [table.slug for table in conversion.writers().values() if table.is_table]
            self.misuse(f"--rows raters does not fit into {slug}. Choose one of: {', '.join(['jsonl', *tables])}.")

    def _check_target(self, out: Path) -> None:
        """Say what is wrong with the place before a version is used up for it."""
        if out.is_dir():
            self.refuse(f"{out} is a folder. Name the file to write.")
        if not out.parent.is_dir():
            self.refuse(f"There is no folder {out.parent}. Create it first.")
        if not os.access(out.parent, os.W_OK):
            self.refuse(f"The folder {out.parent} is not writable.")
