"""A task that sends webhooks: one message at a time a receiver, all receivers beside each other."""

import logging
import threading
import time
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
from ..services.webhook_deliveries import ActiveWebhook, Attempt
from ..settings import Settings
from ..webhooks import signature
from ..webhooks.connection import Outcome, WebhookConnection
from .webhook_bodies import Message, messages_of, site_of

log = logging.getLogger(__name__)

_BATCH_SIZE = 10
"""Messages per claim; together they must be sent within `deliveries.CLAIM`."""
_GONE = 410
_COUNT_SECONDS = 10.0
"""How old the numbers of the metrics may be."""


class WebhookSender:
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
        self._count_at = 0.0

    def run(self) -> bool:
        """Begin to send to each receiver that has something due and is not sent to already."""
        with self._database.reads.connect() as connection:
            due = deliveries.due_webhooks(connection, clock.now())
            if time.monotonic() >= self._count_at:
                self.waiting = deliveries.waiting(connection)
                self._count_at = time.monotonic() + _COUNT_SECONDS
        for webhook_id, job in list(self._running.items()):
            if job.done():
                del self._running[webhook_id]
                if (error := job.exception()) is not None:
                    log.error("webhook %d has failed", webhook_id, exc_info=error)
        for webhook_id in due:
            if webhook_id not in self._running:
                if self._pool is None:
                    most = self._settings["webhooks.most"]
                    self._pool = ThreadPoolExecutor(most, thread_name_prefix="webhook")
                self._running[webhook_id] = self._pool.submit(self._send_all, webhook_id)
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

    def _send_all(self, webhook_id: int) -> None:
        """Send everything that is due to one receiver.

        The webhook is read with each batch: it may have been edited or switched off meanwhile.
        """
        agent = f"forumsvc/{version('forumsvc')}"
        allow = self._settings["webhooks.allow_private"]
        connection = WebhookConnection(agent, allow_private=allow, seconds=self._seconds)
        try:
            while not self._stopping.is_set():
                with self._database.session.begin() as db:
                    webhook = deliveries.active_webhook(db, webhook_id)
                    if webhook is None:
                        return
                    claimed = deliveries.claim(db, webhook_id, clock.now(), _BATCH_SIZE)
                if not claimed or not self._send_batch(connection, webhook, claimed):
                    return
        except DATABASE_ERRORS as error:
            log.warning(
                "webhook %d is tried again later: %s", webhook_id, single_line_message(error)
            )
        finally:
            connection.close()

    def _send_batch(
        self, connection: WebhookConnection, webhook: ActiveWebhook, claimed: Sequence[Any]
    ) -> bool:
        """Send deliveries until one gets no answer; return whether to go on with the receiver."""
        executor = self._database.executor
        messages = messages_of(executor, site_of(self._settings), claimed)
        attempts: list[Attempt] = []
        for delivery in claimed:
            message = messages[delivery.id]
            if isinstance(message, str):
                attempts.append(Attempt(delivery, None, message, is_final=True))
                continue
            outcome = self._send(connection, webhook, message)
            attempts.append(_attempt_of(delivery, outcome))
            if outcome.error is not None and (outcome.status is None or outcome.status == _GONE):
                break
            if self._stopping.is_set():
                break
        return self._record(webhook, claimed, attempts)

    def _send(
        self, connection: WebhookConnection, webhook: ActiveWebhook, message: Message
    ) -> Outcome:
        now = clock.now()
        secret = self._settings["session.secret"]
        secrets = signature.valid_secrets(
            secret, webhook.id, webhook.generation, webhook.rotated_at, now
        )
        headers = signature.headers(secrets, message.id, now, message.body)
        return connection.send(webhook.url, message.body, headers)

    def _record(
        self, webhook: ActiveWebhook, claimed: Sequence[Any], attempts: Sequence[Attempt]
    ) -> bool:
        now = clock.now()
        # What could not be sent says nothing about the receiver.
        last = next((one for one in reversed(attempts) if not one.is_final), None)
        has_failed = last is not None and last.error is not None
        got_no_answer = has_failed and last is not None and last.status is None
        is_gone = last is not None and last.status == _GONE
        reason = "the receiver answered 410 Gone" if is_gone else None
        with self._database.session.begin() as db:
            given_up = deliveries.record(db, attempts, now)
            deliveries.give_back(db, claimed[len(attempts) :], now)
            if last is not None and got_no_answer:
                deliveries.pause(db, webhook.id, last.delivery, now)
            failed = [one for one in attempts if one.error is not None]
            if last is not None and deliveries.record_health(
                db, webhook.id, now, has_failed=has_failed
            ):
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
