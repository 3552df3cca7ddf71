from annotate.management.run_command import RunCommand


class Command(RunCommand):
    help = "Let a model draft the items that are neither accepted nor dropped; people refine its suggestions."
    purpose = "preannotate"
