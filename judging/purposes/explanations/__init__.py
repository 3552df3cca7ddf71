"""Whether judges that counted no mistake name one in their explanations: a model reads those, one job a verdict."""

from judging.purposes.explanations.purpose import PURPOSE

__all__ = ["PURPOSE"]
