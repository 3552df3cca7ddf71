from annotate.management.run_command import RunCommand


class Command(RunCommand):
    help = "Let a model propose the criteria of judgements that do not name any, for people to approve or edit."
    purpose = "bridge"
