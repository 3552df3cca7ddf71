"""Whether judges that counted no mistake name one in their explanations: a model reads those, one job per verdict."""

from judging.purposes.explanations.explanation_runs import PURPOSE

__all__ = ["PURPOSE"]
