"""Conversion of a release to other formats, for annotation tools and spreadsheets. The release is not changed."""

import json
import types
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, Union, get_args, get_origin

from django.utils.translation import override

from annotate.formats.format import Format
from annotate.formats.registry import all_formats
from annotate.formats.rows import JSON, Column, FieldValues, ObservedValues, Out
from annotate.intake.ratings import RATER
from annotate.kinds.contract import ASIDE, Kind
from annotate.kinds.values import Field, literals
from annotate.models import Item, Release
from annotate.releases.files import path_of
from annotate.releases.manifests import is_per_rater, kind_of


def writers() -> dict[str, Format]:
    """slug -> format that rows can be written in, besides JSON lines."""
    return {slug: row_format for slug, row_format in all_formats().items() if row_format.written_as}


def writers_for(manifest: Mapping[str, Any]) -> dict[str, Format]:
    """Those that can hold the rows of this release: rows by rater fit into tables only."""
    return {slug: writer for slug, writer in writers().items() if writer.is_table or not is_per_rater(manifest)}


def converted(release: Release, row_format: Format) -> Iterator[bytes]:
    """The file of the release in that format, piece by piece."""
    kind = kind_of(release.manifest)
    row_format = row_format.for_definition(kind.own_definition())
    if row_format.whole_rows:
        yield from row_format.written_from(path_of(release.stored_as))
    elif is_per_rater(release.manifest):
        columns = [Column(RATER, is_text=True), *columns_of(kind, kind.draft_names)]
        yield from row_format.written(_rater_rows(release), columns)
    else:
        rows = (out for _facts, out in _read_rows(release))
        yield from row_format.written(rows, columns_of(kind, dict.fromkeys((*kind.fact_names, *kind.draft_names))))


def _rater_rows(release: Release) -> Iterator[Out]:
    for row in _stored_rows(release):
        yield Out(row["key"], {}, {name: value for name, value in row.items() if name not in ASIDE}, {})


def companion_file(release: Release, row_format: Format) -> bytes:
    """The companion file of that format; reads all rows to collect the values of choice fields."""
    kind, field_values = kind_of(release.manifest), ObservedValues()
    for facts, out in _read_rows(release):
        field_values.add(out, {field.name: _field_values(field, kind) for field in kind.fields(facts)})
    return row_format.for_definition(kind.own_definition()).beside(field_values)


def _field_values(field: Field, kind: Kind) -> FieldValues:
    annotation = kind.type_of(field.name)
    label, values = str(field.label), literals(annotation)
    if _is_text(annotation):
        return FieldValues(label, "choice" if field.how == "choice" else "text", values)
    return FieldValues(label, "choices" if field.how == "choices" else JSON)


def converted_manifest(wanted: Format, manifest: Mapping[str, Any], sha256: str) -> dict[str, Any]:
    """The manifest of a file in that format: the release's, with the file's digest and what the format cannot hold."""
    with override("en"):  # a file for everybody
        lost = [str(limitation) for limitation in wanted.cannot_hold]
    return {**manifest, "written_as": wanted.slug, "release_sha256": manifest["sha256"], "sha256": sha256} | {
        "cannot_hold": lost
    }


def _read_rows(release: Release) -> Iterator[tuple[Any, Out]]:
    kind = kind_of(release.manifest)
    for row in _stored_rows(release):
        yield _out(row, kind)


def _stored_rows(release: Release) -> Iterator[dict[str, Any]]:
    with path_of(release.stored_as).open("rb") as file:
        for line in file:
            row = json.loads(line)
            if not row.get("withdrawn"):
                yield row


def _out(row: Mapping[str, Any], kind: Kind) -> tuple[Any, Out]:
    provenance = row.get("provenance") or {}
    native = kind.read_row(row)
    facts = kind.read_facts(native.facts)
    is_final = provenance.get("state") == Item.State.ACCEPTED
    model = "" if is_final or provenance.get("by") else (provenance.get("suggestion") or {}).get("model", "")
    how = {field.name: field.how for field in kind.fields(facts)}
    text_names = [name for name in kind.texts(facts) if name in kind.fact_names]
    return facts, Out(row["key"], native.facts, native.draft or {}, how, text_names, model, is_final)


def columns_of(kind: Kind, names: Iterable[str]) -> list[Column]:
    """The columns of these facts and draft fields."""
    return [Column(name, _is_text(kind.type_of(name))) for name in names]


def _is_text(annotation: Any) -> bool:
    """Whether a value of this type is a text or None."""
    if get_origin(annotation) in (Union, types.UnionType):
        return all(_is_text(argument) or argument is type(None) for argument in get_args(annotation))
    if get_origin(annotation) is Literal:
        return all(isinstance(argument, str) for argument in get_args(annotation))
    return annotation is str or (hasattr(annotation, "__metadata__") and _is_text(get_args(annotation)[0]))
