"""The purposes of runs of judging: answers, verdicts and others. Found by annotate.engine.purposes."""
