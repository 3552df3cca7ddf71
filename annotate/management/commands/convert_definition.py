import sys
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotate.formats.tools.definition_tools import OWN, TOOLS, converted
from annotate.formats.tools.leftovers import BadConversion, Conversion, Leftover
from annotate.management.command import ContractCommand


class Command(ContractCommand):
    help = "Convert questions from or to another annotation tool, and list what has no counterpart there."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        tools = [OWN, *TOOLS]
        parser.add_argument("file", metavar="FILE", help="the definition; - is standard input")
        parser.add_argument("--from", dest="source", choices=tools, default=OWN, help=f"default: {OWN}, in YAML")
        parser.add_argument("--to", dest="target", choices=tools, default=OWN, help=f"default: {OWN}, in YAML")
        parser.add_argument("--out", metavar="FILE", help="write it to this file; default: print it")
        parser.add_argument("--language", default="en", metavar="CODE", help="of texts in several; default: en")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["source"] == options["target"]:
            self.misuse("Name the other tool with --from or --to.")
        text = self._read(options["file"])
        try:
            conversion = converted(
                text, source=options["source"], target=options["target"], language=options["language"]
            )
        except BadConversion as bad:
            self._list(bad.leftovers)
            self.refuse(f"{options['file']}: {bad}")
        else:
            self._report(conversion, options)

    def _read(self, name: str) -> str:
        try:
            return sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as unreadable:
            self.refuse(f"{name} cannot be read as UTF-8 text: {unreadable}")

    def _report(self, conversion: Conversion, options: dict[str, Any]) -> None:
        if options["out"]:
            Path(options["out"]).write_text(conversion.text, encoding="utf-8")
        if not options["json"]:
            self._list(conversion.leftovers)
        report = {
            "from": options["source"],
            "to": options["target"],
            "whole": conversion.is_whole,
            "definition": conversion.text,
            "leftovers": [leftover.as_json() for leftover in conversion.leftovers],
        }
        text = f"Written: {options['out']}" if options["out"] else conversion.text.rstrip()
        self.report(report, as_json=options["json"], text=text)

    def _list(self, leftovers: list[Leftover]) -> None:
        for leftover in leftovers:
            self.stderr.write(f"{leftover.sort}: {leftover}")
