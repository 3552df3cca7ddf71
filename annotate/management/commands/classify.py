from annotate.management.run_command import RunCommand


class Command(RunCommand):
    help = "Let a model say which task or intent each item is, apart from suggestions."
    purpose = "classify"
