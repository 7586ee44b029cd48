"""The queue of outgoing email: a thread delivers it, so that no response waits for it.

Otherwise the duration of the response would reveal whether an email address is known. The queue is
in memory: a crash loses what is waiting.
"""

import logging
import queue
import threading
from email.errors import MessageError
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import formatdate, make_msgid

from .delivery import Delivery
from .failures import describe, is_permanent

log = logging.getLogger(__name__)

ATTEMPTS = 3
_RETRY_DELAY = 20.0
_MAX_QUEUED = 200


class MailQueue:
    """Queues messages and delivers them one after the other."""

    def __init__(
        self, delivery: Delivery | None, sender: str, *, retry_delay: float = _RETRY_DELAY
    ) -> None:
        """delivery: None if the service sends no email; sender: the From address; retry_delay:
        seconds before another attempt.
        """
        self._delivery = delivery
        self._sender = sender
        self._retry_delay = retry_delay
        self._queue: queue.Queue[EmailMessage | None] = queue.Queue(_MAX_QUEUED)
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._closing = threading.Event()
        self.sent = 0
        """Delivered messages, for the metrics."""
        self.failed = 0
        """Messages that could not be delivered, for the metrics."""

    @property
    def is_enabled(self) -> bool:
        """Whether the service sends email."""
        return self._delivery is not None

    def send(self, to: str, subject: str, text: str) -> None:
        """Queue a message for one address; log a failure without the address."""
        try:
            message = self._create_message(to, subject, text)
            self._queue.put_nowait(message)
        except (MessageError, ValueError, IndexError):
            self.failed += 1
            log.error("an email was not sent: its address is not valid")
        except queue.Full:
            self.failed += 1
            log.error("an email was not sent: the queue is full (%d messages)", _MAX_QUEUED)
        else:
            self._ensure_thread()

    def wait(self) -> None:
        """Wait until all queued messages were delivered or have failed."""
        self._queue.join()

    def close(self) -> None:
        """Deliver the queued messages, with one attempt each, and end the thread."""
        self._closing.set()
        if self._thread is not None and self._thread.is_alive():
            waiting = self._queue.unfinished_tasks
            failed = self.failed
            self._queue.put(None)
            self._thread.join()
            failed = self.failed - failed
            if waiting:
                level = logging.WARNING if failed else logging.INFO
                log.log(
                    level, "shutdown: %d emails were sent, %d are lost", waiting - failed, failed
                )

    def _create_message(self, to: str, subject: str, text: str) -> EmailMessage:
        message = EmailMessage()
        message["From"] = self._sender
        # Not as a string: a comma in it would make two recipients.
        message["To"] = Address(addr_spec=to)
        message["Subject"] = subject
        message["Date"] = formatdate()
        message["Message-ID"] = make_msgid(domain=self._sender.partition("@")[2])
        message["Auto-Submitted"] = "auto-generated"
        message.set_content(text)
        return message

    def _ensure_thread(self) -> None:
        # Started with the first message, because a thread does not survive the fork of a worker.
        with self._lock:
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._run, name="mail-queue", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        while (message := self._queue.get()) is not None:
            self._deliver(message)
            self._queue.task_done()
        self._queue.task_done()

    def _deliver(self, message: EmailMessage) -> None:
        assert self._delivery is not None, "send() needs a delivery"  # noqa: S101
        for attempt in range(1, ATTEMPTS + 1):
            is_last = attempt == ATTEMPTS or self._closing.is_set()
            try:
                self._delivery.deliver(message)
            except (OSError, ValueError) as error:
                log.error(
                    "email %s was not sent (attempt %d): %s",
                    message["Message-ID"],
                    attempt,
                    describe(error),
                )
                if is_last or is_permanent(error):
                    self.failed += 1
                    return
                self._closing.wait(self._retry_delay)
            else:
                self.sent += 1
                return
