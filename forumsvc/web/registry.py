"""What an application holds from its start to its end, with its type."""

from typing import TYPE_CHECKING

from pyramid.registry import Registry

if TYPE_CHECKING:
    from ..background import BackgroundWorker
    from ..background.job_runner import JobRunner
    from ..background.webhook_sender import WebhookSender
    from ..cache.page_cache import PageCache
    from ..cache.single_flight import SingleFlight
    from ..db.availability import AvailabilityCheck
    from ..db.engine import Database
    from ..db.limited_reads import LimitedReads
    from ..openapi import Description
    from ..services.access.networks import BlockedNetworks
    from ..services.photos.photos import Decoding
    from ..services.photos.storage import PhotoStorages
    from ..services.posts.authoring import Authoring
    from ..services.posts.publishing import Publisher
    from ..services.posts.read_marker import ReadMarker
    from ..services.posts.view_counts import ViewCounter
    from ..services.site_texts import CurrentSiteTexts
    from ..sessions.session_uses import SessionUses
    from ..settings import Settings
    from .api.methods import MethodTable
    from .limits.abuse_limits import AbuseLimits
    from .limits.caller_limit import CallerLimit
    from .limits.request_limits import RequestLimits
    from .metrics.registry import Metrics
    from .responses.envelope import BareEnvelope


class ForumRegistry(Registry):
    """Pyramid's registry with the services of the forum; `main` fills it before the first request.

    `request.registry` is this one. A layer that adds a service sets it in its `includeme`.
    """

    forum_settings: "Settings"
    """The settings of the ini file."""
    database: "Database"
    availability: "AvailabilityCheck"
    """What `/health` asks about the database."""

    page_cache: "PageCache"
    single_flight: "SingleFlight"
    build_fingerprint: bytes
    """Of the code and the settings that answers depend on; in every ETag."""

    site_texts: "CurrentSiteTexts"
    """The name, the texts and the logo of the site, as they were read last."""

    authoring: "Authoring"
    publisher: "Publisher"
    view_counter: "ViewCounter"
    read_marker: "ReadMarker"
    session_uses: "SessionUses"
    photo_storages: "PhotoStorages"
    photo_decoding: "Decoding"
    job_runner: "JobRunner"
    webhook_sender: "WebhookSender"
    background: "BackgroundWorker"
    """It runs in its process alone."""

    blocked_networks: "BlockedNetworks"
    email_domains: frozenset[str]
    """Those that no account may have."""
    abuse_limits: "AbuseLimits"
    request_limits: "RequestLimits"
    search_limit: "CallerLimit"
    report_limit: "CallerLimit"
    search_reads: "LimitedReads"
    """The connections of searches."""
    envelope: "BareEnvelope"
    """Makes the bodies of answers, in the shape of `api.envelope`."""
    methods: "MethodTable"
    description: "Description"
    metrics: "Metrics | None" = None
    """None where `metrics.enabled` is false."""
