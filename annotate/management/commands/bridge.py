from annotate.management.run_command import RunCommand


class Command(RunCommand):
    help = "Let a model propose criteria for judgements that name none; people approve or edit them."
    purpose = "bridge"
