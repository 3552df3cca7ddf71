from annotate.management.run_command import RunCommand


class Command(RunCommand):
    help = "Let a model perturb accepted gold answers, one category at a time, into items of another project."
    purpose = "perturb"
