from annotate.management.run_command import RunCommand


class Command(RunCommand):
    help = "Let a model write suggestions for items that are neither accepted nor dropped; people refine them."
    purpose = "preannotate"
