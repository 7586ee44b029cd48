"""A task that sends webhooks: one message at a time a receiver, all receivers beside each other."""

import logging
import threading
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import timedelta
from importlib.metadata import version
from typing import Any

from .. import clock
from ..db.engine import Database
from ..db.failures import DATABASE_ERRORS
from ..errors import single_line_message
from ..services import webhook_deliveries as deliveries
from ..services import webhooks
from ..services.webhook_deliveries import Attempt, DueWebhook
from ..settings import Settings
from ..webhooks import signature
from ..webhooks.sender import Outcome, WebhookSender
from .webhook_bodies import Message, messages_of, site_of

log = logging.getLogger(__name__)

_BATCH_SIZE = 10
"""Messages per claim; together they must be sent within `deliveries.CLAIM`."""
_GONE = 410


class WebhookTask:
    """Sends the deliveries that are due.

    delivered, failed: attempts of this process; waiting: in the database when last counted.
    """

    name = "webhooks"

    def __init__(self, database: Database, settings: Settings, *, seconds: float = 15) -> None:
        """seconds: for one attempt. No thread is made before the first delivery."""
        self.interval = settings["worker.interval_seconds"]
        self._database = database
        self._settings = settings
        self._seconds = seconds
        self._pool: ThreadPoolExecutor | None = None
        self._running: dict[int, Future[None]] = {}
        self._stopping = threading.Event()
        self.delivered = 0
        self.failed = 0
        self.waiting = deliveries.Waiting(0, None)

    def run(self) -> bool:
        """Begin to send to each receiver that has something due and is not sent to already."""
        with self._database.reads.connect() as connection:
            self.waiting = deliveries.waiting(connection)
            due = deliveries.due_webhooks(connection, clock.now()) if self.waiting.number else []
        for webhook_id, job in list(self._running.items()):
            if job.done():
                del self._running[webhook_id]
                if (error := job.exception()) is not None:
                    log.error("webhook %d has failed", webhook_id, exc_info=error)
        for webhook in due:
            if webhook.id not in self._running:
                if self._pool is None:
                    most = self._settings["webhooks.most"]
                    self._pool = ThreadPoolExecutor(most, thread_name_prefix="webhook")
                self._running[webhook.id] = self._pool.submit(self._send_all, webhook)
        return False

    def close(self) -> None:
        """Let each receiver's message under way be finished, and end the threads."""
        self._stopping.set()
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def wait(self) -> None:
        """Wait until nothing is sent any more. Raises what has stopped a receiver's thread."""
        for job in self._running.values():
            job.result()

    def _send_all(self, webhook: DueWebhook) -> None:
        """Send everything that is due to one receiver."""
        agent = f"forumsvc/{version('forumsvc')}"
        allow = self._settings["webhooks.allow_private"]
        sender = WebhookSender(agent, allow_private=allow, seconds=self._seconds)
        try:
            while not self._stopping.is_set():
                with self._database.session.begin() as db:
                    claimed = deliveries.claim(db, webhook.id, clock.now(), _BATCH_SIZE)
                if not claimed or not self._send_batch(sender, webhook, claimed):
                    return
        except DATABASE_ERRORS as error:
            log.warning(
                "webhook %d is tried again later: %s", webhook.id, single_line_message(error)
            )
        finally:
            sender.close()

    def _send_batch(
        self, sender: WebhookSender, webhook: DueWebhook, claimed: Sequence[Any]
    ) -> bool:
        """Send deliveries until one gets no answer; return whether to go on with the receiver."""
        executor = self._database.executor
        messages = messages_of(executor, site_of(self._settings), claimed)
        attempts: list[Attempt] = []
        for delivery in claimed:
            message = messages[delivery.id]
            if message is None:
                reason = "the event is not kept any more"
                attempts.append(Attempt(delivery, None, reason, is_final=True))
                continue
            outcome = self._send(sender, webhook, message)
            attempts.append(_attempt_of(delivery, outcome))
            if outcome.error is not None and (outcome.status is None or outcome.status == _GONE):
                break
            if self._stopping.is_set():
                break
        return self._record(webhook, claimed, attempts)

    def _send(self, sender: WebhookSender, webhook: DueWebhook, message: Message) -> Outcome:
        now = clock.now()
        secret = self._settings["session.secret"]
        secrets = signature.valid_secrets(
            secret, webhook.id, webhook.generation, webhook.rotated_at, now
        )
        headers = signature.headers(secrets, message.id, now, message.body)
        return sender.send(webhook.url, message.body, headers)

    def _record(
        self, webhook: DueWebhook, claimed: Sequence[Any], attempts: Sequence[Attempt]
    ) -> bool:
        now = clock.now()
        last = attempts[-1]
        untried = claimed[len(attempts) :]
        got_no_answer = last.error is not None and last.status is None and not last.is_final
        reason = "the receiver answered 410 Gone" if last.status == _GONE else None
        with self._database.session.begin() as db:
            given_up = deliveries.record(db, webhook.id, attempts, now)
            if untried or got_no_answer:
                until = deliveries.due_at_of(db, last.delivery.id) if got_no_answer else now
                deliveries.postpone(db, webhook.id, untried, until, everything=got_no_answer)
            failed = [one for one in attempts if one.error is not None]
            if deliveries.record_health(db, webhook.id, now, has_failed=last.error is not None):
                days = deliveries.SWITCH_OFF_AFTER // timedelta(days=1)
                reason = reason or f"every attempt has failed for {days} days"
            if reason is not None:
                webhooks.switch_off(db, webhook.id, now, reason)
        self.delivered += len(attempts) - len(failed)
        self.failed += len(failed)
        for one in failed:
            log.warning(
                "webhook %d, delivery %d was not delivered (attempt %d): %s",
                *(webhook.id, one.delivery.id, one.delivery.attempts, one.error),
            )
        if given_up:
            log.error("webhook %d: %d deliveries are given up", webhook.id, given_up)
        if reason is not None:
            log.error("webhook %d is switched off: %s", webhook.id, reason)
        return reason is None and not got_no_answer


def _attempt_of(delivery: Any, outcome: Outcome) -> Attempt:
    return Attempt(
        delivery, outcome.status, outcome.error, outcome.retry_after, outcome.milliseconds
    )
