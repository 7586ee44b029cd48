"""Sending webhooks: what is done for a job of the kind `deliver`, of which a webhook has one.

If the process dies, what it had sent and not recorded is sent again when the job's lock has ended,
with the same ids.
"""

import logging
import time
from collections.abc import Sequence
from datetime import timedelta
from importlib.metadata import version
from typing import Any

from .. import clock
from ..db.engine import Database
from ..models import JobKind
from ..outgoing.connection import CheckedConnection, Outcome
from ..presenters.site import site_of
from ..services import jobs
from ..services.jobs import Claimed
from ..services.webhooks import webhook_deliveries as deliveries
from ..services.webhooks import webhook_signature, webhooks
from ..services.webhooks.webhook_deliveries import ActiveWebhook, Attempt
from ..settings import Settings
from .job_runner import Handler
from .webhook_bodies import Message, messages_of

log = logging.getLogger(__name__)

_BATCH_SIZE = 10
"""Messages whose outcomes are recorded together."""
_BEGIN_SECONDS = 30.0
"""How long a job begins new messages: with the time of the last one it is done within its lock."""
_GONE = 410


class WebhookSender(Handler):
    """Sends the deliveries that are due: one message at a time a webhook.

    delivered, failed: attempts of this process.
    """

    kind = JobKind.DELIVER
    lock = timedelta(minutes=1)

    def __init__(self, database: Database, settings: Settings, *, seconds: float = 15) -> None:
        """seconds: for one attempt."""
        self.at_once = settings["webhooks.most"]
        self.sends_as = settings["site.url"]
        self._database = database
        self._settings = settings
        self._seconds = seconds
        self.delivered = 0
        self.failed = 0

    def run(self, job: Claimed) -> None:
        """Send what is due to a webhook, for a while; move the job to the next delivery's time.

        The webhook is read with each batch: it may have been edited or switched off meanwhile.
        """
        webhook_id = int(job.key)
        agent = f"forumsvc/{version('forumsvc')}"
        allow = self._settings["webhooks.allow_private"]
        connection = CheckedConnection(agent, allow_private=allow, seconds=self._seconds)
        end = time.monotonic() + _BEGIN_SECONDS
        unanswered: Attempt | None = None
        try:
            while unanswered is None and self._may_begin(end):
                with self._database.reads.connect() as db:
                    webhook = deliveries.active_webhook(db, webhook_id)
                    due = deliveries.next_due(db, webhook_id, clock.now(), _BATCH_SIZE)
                if webhook is None or not due:
                    break
                unanswered = self._send_batch(connection, webhook, due, end)
        finally:
            connection.close()
        with self._database.session.begin() as db:
            # Who makes a delivery waits for this lock, or has made it already.
            if not jobs.hold(db, job):
                return
            due_at = deliveries.next_due_at(db, webhook_id)
            if due_at is None:
                jobs.finish(db, job, clock.now())
            elif unanswered is None:
                jobs.save_progress(db, job, {}, due_at=due_at)
            else:
                resume_at = deliveries.resume_at(unanswered.delivery, clock.now())
                jobs.pause(db, job, max(due_at, resume_at), unanswered.error or "")

    def _may_begin(self, end: float) -> bool:
        return time.monotonic() < end and not self.stopping.is_set()

    def _send_batch(
        self, connection: CheckedConnection, webhook: ActiveWebhook, due: Sequence[Any], end: float
    ) -> Attempt | None:
        """Send deliveries until one gets no answer, which is returned, or the time is over."""
        executor = self._database.executor
        site = site_of(self._settings, self._settings["site.url"] or "", clock.now())
        messages = messages_of(executor, site, due)
        attempts: list[Attempt] = []
        for delivery in due:
            message = messages[delivery.id]
            if isinstance(message, str):
                attempts.append(Attempt(delivery, None, message, is_final=True))
                continue
            outcome = self._send(connection, webhook, message)
            attempts.append(_attempt_of(delivery, outcome))
            if outcome.error is not None and (outcome.status is None or outcome.status == _GONE):
                break
            if not self._may_begin(end):
                break
        return self._record(webhook, attempts)

    def _send(
        self, connection: CheckedConnection, webhook: ActiveWebhook, message: Message
    ) -> Outcome:
        now = clock.now()
        secret = self._settings["session.secret"]
        secrets = webhook_signature.valid_secrets(
            secret, webhook.id, webhook.generation, webhook.rotated_at, now
        )
        headers = webhook_signature.headers(secrets, message.id, now, message.body)
        return connection.post(webhook.url, message.body, headers)

    def _record(self, webhook: ActiveWebhook, attempts: Sequence[Attempt]) -> Attempt | None:
        now = clock.now()
        # What could not be sent says nothing about the receiver.
        last = next((attempt for attempt in reversed(attempts) if not attempt.is_final), None)
        has_failed = last is not None and last.error is not None
        got_no_answer = has_failed and last is not None and last.status is None
        is_gone = last is not None and last.status == _GONE
        reason = "the receiver answered 410 Gone" if is_gone else None
        failed = [attempt for attempt in attempts if attempt.error is not None]
        nothing_arrived = all(attempt.is_final or attempt.error is not None for attempt in attempts)
        with self._database.session.begin() as db:
            given_up = deliveries.record(db, attempts, now)
            if last is not None and deliveries.record_health(
                db, webhook.id, now, has_failed=nothing_arrived
            ):
                days = deliveries.SWITCH_OFF_AFTER // timedelta(days=1)
                reason = reason or f"every attempt has failed for {days} days"
            if reason is not None:
                webhooks.switch_off(db, webhook.id, now, reason)
        self.delivered += len(attempts) - len(failed)
        self.failed += len(failed)
        for item in failed:
            log.warning(
                "webhook %d, delivery %d was not delivered (attempt %d): %s",
                *(webhook.id, item.delivery.id, item.delivery.attempts + 1, item.error),
            )
        if given_up:
            log.error("webhook %d: %d deliveries are given up", webhook.id, given_up)
        if reason is not None:
            log.error("webhook %d is switched off: %s", webhook.id, reason)
        return last if got_no_answer else None


def _attempt_of(delivery: Any, outcome: Outcome) -> Attempt:
    return Attempt(
        delivery, outcome.status, outcome.error, outcome.retry_after, outcome.milliseconds
    )
