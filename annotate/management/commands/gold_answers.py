from annotate.management.run_command import RunCommand


class Command(RunCommand):
    help = "Let a model write missing gold answers of prompts, for people to verify."
    purpose = "gold_answers"
