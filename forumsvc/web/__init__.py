"""The HTTP layer that all views share: the pipeline, the API's requests and responses."""

from pyramid.config import Configurator
from pyramid.tweens import EXCVIEW, INGRESS


def includeme(config: Configurator) -> None:
    """Register the tweens, outermost first, and the steps of the API."""
    config.include(".pipeline.transactions")
    config.include(".responses.renderer")
    config.include(".api.api_view")
    config.include(".api.steps")
    if config.registry.forum_settings["metrics.enabled"]:
        config.include(".metrics.registry")
    config.add_tween("forumsvc.web.pipeline.request_id.request_id_tween", under=INGRESS)
    config.add_tween(
        "forumsvc.web.pipeline.cors.cors_tween",
        under="forumsvc.web.pipeline.request_id.request_id_tween",
        over="pyramid_tm.tm_tween_factory",
    )
    config.add_tween(
        "forumsvc.web.pipeline.compression.gzip_tween",
        under="forumsvc.web.pipeline.cors.cors_tween",
        over="pyramid_tm.tm_tween_factory",
    )
    config.add_tween("forumsvc.web.pipeline.guard.guard_tween", under=EXCVIEW)
    config.add_tween(
        "forumsvc.web.pipeline.network_blocks.network_blocks_tween",
        under="forumsvc.web.pipeline.guard.guard_tween",
    )
