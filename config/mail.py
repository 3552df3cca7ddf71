"""Mail leaves in a thread of its own: no request waits for a mail server, also not for one that froze."""

import logging
import socket
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from smtplib import SMTPServerDisconnected

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend

from annotate.circuit_breaker import CircuitBreaker

RESTS = 10.0  # seconds without mail after the server did not answer, so that a stop does not wait for each message
UNREACHABLE = (TimeoutError, ConnectionError, socket.gaierror, SMTPServerDisconnected)  # not: an address is refused
log = logging.getLogger("annotate.mail")
breaker = CircuitBreaker(RESTS)
# Its thread starts with the first message, after the process was forked; at the end of the process it is waited for.
_sender = ThreadPoolExecutor(max_workers=1, thread_name_prefix="mail")


class BackgroundBackend(BaseEmailBackend):
    """Django's mail backend. What cannot be delivered is logged and lost, as mail may be: pages show the same."""

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        messages = list(email_messages)
        _sender.submit(_deliver, messages)
        return len(messages)


def wait_until_sent() -> None:
    _sender.submit(bool).result()


def _deliver(messages: list[EmailMessage]) -> None:
    if not breaker.allows():
        log.warning("%s messages were not sent: the mail server has just failed", len(messages))
        return
    try:
        with get_connection(settings.MAIL_DELIVERY_BACKEND) as connection:
            connection.send_messages(messages)
    except Exception as fault:  # whatever it is, there is nobody left to tell but the log
        log.warning("%s messages were not sent: %s", len(messages), fault)
        if isinstance(fault, UNREACHABLE):
            breaker.failed()
            return
    breaker.succeeded()
