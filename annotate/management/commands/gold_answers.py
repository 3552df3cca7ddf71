from annotate.management.run_command import RunCommand


class Command(RunCommand):
    help = "Let a model write the gold answers that prompts lack, for people to verify."
    purpose = "gold_answers"
