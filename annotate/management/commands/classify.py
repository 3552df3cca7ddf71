from annotate.management.run_command import RunCommand


class Command(RunCommand):
    help = "Let a model label each item with its task or intent, separately from suggestions."
    purpose = "classify"
