"""What runs of judging are for: answers and verdicts. Found by annotate.purposes."""
