"""forumsvc: a community forum as a JSON HTTP service."""

import atexit
import logging
import os
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .settings import Settings, SettingsError

if TYPE_CHECKING:
    from .db.engine import Database
    from .web.registry import ForumRegistry

log = logging.getLogger(__name__)


def main(global_config: dict[str, str], **ini: str) -> Any:
    """Return the WSGI application of an ini file's `[app:main]`, with its background worker.

    A wrong setting ends the process with one line that names it. So does a database at an older
    schema revision, unless the application is made without an ini file.
    """
    from . import migrate
    from .views.errors import body_error, error_body
    from .web.pipeline.cors import error_headers

    ini_dir = Path(global_config.get("here", "."))
    ini_file = global_config.get("__file__")
    try:
        settings = Settings(ini, ini_dir)
        application = create_application(settings, ini, ini_dir)
        registry = application.registry
        configure_background(registry, ini_dir, ini_file)
    except SettingsError as error:
        sys.exit(f"forumsvc: {error}")
    problem = migrate.startup_problem(registry.database, ini_file) if ini_file else None
    if problem is not None:
        sys.exit(f"forumsvc: {problem}")
    if ini_file and settings.site_url_warning:
        log.warning(settings.site_url_warning)
    # The server uses it for requests that it refuses itself.
    application.error_body = partial(error_body, registry)
    application.error_headers = error_headers(settings)
    application.body_error = partial(body_error, registry)
    # The server calls it in each worker.
    application.on_worker_start = registry.authoring.renderer.start
    # The server starts it in a process of its own.
    application.background = registry.background
    return application


def create_application(
    settings: Settings,
    ini: Mapping[str, str],
    ini_dir: Path,
    *,
    database: "Database | None" = None,
    pages: bool = True,
) -> Any:
    """Return the WSGI application that answers requests; `registry` holds its services.

    ini: the section that the settings are of, for Pyramid; ini_dir: as for `configure_services`;
    database: None to open that of the settings; pages: whether it has the HTML pages. Raises
    SettingsError.
    """
    from pyramid.config import Configurator

    from .permissions import FORBIDDEN
    from .security.policy import SecurityPolicy
    from .web.api.methods import MethodTable
    from .web.api.request import ForumRequest
    from .web.registry import ForumRegistry

    registry = ForumRegistry("forumsvc")
    registry.forum_settings = settings
    registry.database = database or _open_database(settings)
    config = Configurator(registry=registry)
    config.setup_registry(
        settings=dict(ini),
        request_factory=ForumRequest,
        security_policy=SecurityPolicy(),
        default_permission=FORBIDDEN,
    )
    config.include(".web")
    config.include(".views")
    if pages:
        config.include(".pages")
    configure_services(registry, settings, ini_dir)
    config.commit()
    registry.methods = MethodTable(config.introspector)
    return config.make_wsgi_app()


def _open_database(settings: Settings) -> "Database":
    from .cache.database import open_database
    from .db.connection_options import ConnectionOptions
    from .services import mails

    options = ConnectionOptions.from_settings(settings)
    database = open_database(settings["sqlalchemy.url"], options)
    mails.configure(database, settings)
    return database


def configure_background(
    registry: "ForumRegistry", ini_dir: Path, ini_file: str | None = None
) -> None:
    """Put the background worker and what it does into the registry. ini_file: None without one."""
    from .background import BackgroundWorker
    from .background.tasks import create_consumers, create_host_report, create_job_runner
    from .background.webhook_sender import WebhookSender
    from .mail import create_delivery

    database, settings = registry.database, registry.forum_settings
    registry.webhook_sender = WebhookSender(database, settings)
    consumers, delivery = create_consumers(database), create_delivery(settings, ini_dir)
    registry.job_runner = create_job_runner(
        *(database, settings, registry.photo_storages, registry.authoring),
        webhook_sender=registry.webhook_sender,
        consumers=consumers,
        delivery=delivery,
        ini=Path(ini_file) if ini_file else None,
    )
    host_report = create_host_report(database, settings, registry.build_fingerprint, ini_dir)
    registry.background = BackgroundWorker(database, registry.job_runner, host_report, consumers)


def configure_services(registry: "ForumRegistry", settings: Settings, ini_dir: Path) -> None:
    """Put the services that views use into the registry, and close them when the process ends.

    ini_dir: the folder of the ini file, the base of relative paths. Raises SettingsError.
    """
    from .cache.page_cache import PageCache
    from .cache.single_flight import SingleFlight
    from .db.limited_reads import LimitedReads
    from .markup import RenderBudget
    from .media.limits import Limits
    from .openapi import Description
    from .process import passwords
    from .services.access.networks import BlockedNetworks
    from .services.access.values import email_domains_from_settings
    from .services.photos.photos import Decoding
    from .services.photos.storage import open_storages
    from .services.posts.authoring import authoring_from_settings
    from .services.posts.pace import pace_from_settings
    from .services.posts.publishing import Publisher
    from .services.posts.read_marker import ReadMarker
    from .services.posts.view_counts import ViewCounter
    from .services.site_texts import CurrentSiteTexts, from_settings
    from .sessions.session_uses import SessionUses
    from .web.http_cache.etags import build_fingerprint
    from .web.limits.abuse_limits import AbuseLimits
    from .web.limits.caller_limit import CallerLimit, too_many_reports, too_many_searches
    from .web.limits.rate_limiter import RateLimiter
    from .web.limits.request_limits import RequestLimits

    registry.authoring = authoring_from_settings(settings, ini_dir, settings["markup.workers"])
    keeps_networks = settings["moderation.keep_addresses_days"] is not None
    registry.publisher = Publisher(
        pace_from_settings(settings),
        settings["session.secret"] if keeps_networks else None,
    )
    registry.page_cache = PageCache(settings["cache.pages_mb"] * 1_000_000)
    registry.single_flight = SingleFlight()
    registry.view_counter = ViewCounter(
        registry.database, settings["topics.view_count_flush_seconds"]
    )
    registry.read_marker = ReadMarker(registry.database)
    registry.session_uses = SessionUses(registry.database)
    registry.photo_storages = open_storages(settings, ini_dir)
    registry.photo_decoding = Decoding(
        Limits(
            max_bytes=settings["photos.max_bytes"],
            max_pixels=settings["photos.max_pixels"],
            max_frames=settings["photos.max_frames"],
        ),
        RenderBudget(settings["markup.user_seconds_per_minute"]),
    )
    registry.site_texts = CurrentSiteTexts(from_settings(settings, ini_dir))
    registry.blocked_networks = BlockedNetworks(
        settings["moderation.blocks_recheck_seconds"], registry.site_texts.read
    )
    registry.email_domains = email_domains_from_settings(settings, ini_dir)
    rate_limiter = RateLimiter(settings)
    registry.abuse_limits = AbuseLimits(settings, rate_limiter)
    registry.request_limits = RequestLimits(settings, rate_limiter)
    searches, reports = settings["rate_limit.searches"], settings["rate_limit.reports"]
    registry.search_limit = CallerLimit(searches, "searches", too_many_searches, rate_limiter)
    registry.report_limit = CallerLimit(reports, "reports", too_many_reports, rate_limiter)
    registry.search_reads = LimitedReads(
        registry.database,
        seconds=settings["search.timeout_seconds"],
        at_once=settings["search.at_once"],
    )
    passwords.set_slots(settings["accounts.password_slots"])
    registry.build_fingerprint = build_fingerprint(settings)
    registry.description = Description(settings)
    # Forked workers must not share open connections.
    os.register_at_fork(after_in_child=registry.database.reset_after_fork)
    os.register_at_fork(after_in_child=partial(registry.search_reads.dispose, close=False))
    atexit.register(registry.authoring.renderer.close)
    # The last one is closed first.
    atexit.register(registry.session_uses.close)
    atexit.register(registry.read_marker.close)
    atexit.register(registry.view_counter.close)
