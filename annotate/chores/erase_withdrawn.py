from annotate.engine.chores import Parts, chore
from annotate.models import Withdrawal
from annotate.survey import withdrawal as survey_withdrawal


@chore(survey_withdrawal.leases, key="withdrawals", label="Withdrawals gone on with", turn=5)
def erase_withdrawn(withdrawal: Withdrawal) -> Parts:
    """Continue erasing what a participant has withdrawn."""
    yield from survey_withdrawal.parts(withdrawal)
