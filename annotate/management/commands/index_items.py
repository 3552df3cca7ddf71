from typing import Any

from django.core.management.base import CommandParser

from annotate.engine.chores import all_chores
from annotate.items import search_index
from annotate.management.command import ContractCommand
from annotate.models import Project, SearchPending, SearchText


class Command(ContractCommand):
    help = "Make the items searchable that no worker has indexed yet; no worker is needed."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", nargs="?", help="only this project")
        parser.add_argument("--rebuild", action="store_true", help="index every item again")

    def handle(self, *args: Any, **options: Any) -> None:
        projects = [self.project(options["slug"])] if options["slug"] else Project.objects.order_by("pk")
        for project in projects:
            search_index.queue_again(project, everything=options["rebuild"])
            all_chores()["index_items"].work(project.pk, whole=True)
        ids = [project.pk for project in projects]
        indexed = SearchText.objects.filter(item__project__in=ids).count()
        pending = SearchPending.objects.filter(project__in=ids).count()
        text = f"{indexed} items are searchable."
        if pending:
            text += f" {pending} wait for the worker that indexes their project now, or stopped a minute ago at most."
        self.report({"indexed": indexed, "waiting": pending}, as_json=options["json"], text=text)
