"""Registration of the four reports about judging criterion by criterion."""

from judging.boards.branches import curves, decisive_criteria, gain, systems

REPORTS = (curves.REPORT, decisive_criteria.REPORT, gain.REPORT, systems.REPORT)
