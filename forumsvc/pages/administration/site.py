"""The form of the site: its name, its texts, its color and its logo."""

from pyramid.response import Response

from ...errors import Invalid, RateLimited
from ...media.images import ProcessedImage
from ...models import SITE_FIELDS
from ...permissions import SitePermission
from ...resources.site import Site
from ...schemas.site import SITE_TEXTS
from ...services import site_texts as service
from ...services.photos import logos
from ...text.messages import Message
from ...web import site_texts, uploads
from ...web.api.request import ForumRequest
from ..colors import USUAL_ACCENT
from ..flash_messages import with_message
from ..forms import Values, form, process_form
from ..languages import in_language
from ..page import page, page_form
from ..page_tree import site_page
from ..paths import next_of_form, path_to_go_on, see_other
from ..pictures import uploaded_file
from .changes import check_seen, seen
from .site_examples import EXAMPLES

_LABELS = {logos.FIELD: Message("Logo"), **{item.name: item.label for item in SITE_FIELDS}}


@page("site_edit", "/settings/forum/site", site_page, SitePermission.MANAGE, "site")
def show(context: Site, request: ForumRequest) -> Values:
    """Return the form, filled with what is shown now."""
    texts = {item.name: getattr(request.site_texts, item.name) for item in SITE_FIELDS}
    return form(form_values=texts, **_values(request))


@page_form(show)
def submit(context: Site, request: ForumRequest) -> Response | Values:
    """Change the texts. A field that shows what the ini file says stays as in the ini file.

    With `example`, the name of a text, show the form with an example in its field.
    """
    if (name := request.parameters.get("example")) in EXAMPLES:
        return _with_example(request, name)
    logo, refused = None, None
    try:
        logo = _stored_logo(request)
    except (Invalid, RateLimited) as error:
        refused = error

    def save(values: Values) -> Response:
        if refused is not None:
            raise refused
        is_usual = values["accent"] == USUAL_ACCENT and not request.site_texts.accent
        if is_usual or request.parameters.get("no_accent"):
            values["accent"] = ""
        changes = dict(values)
        if logo is None and request.parameters.get("no_logo"):
            changes[logos.FIELD] = ""
        stored = service.locked(request.db, request.now, request.registry.site_texts.of_ini)
        request.site_texts = stored
        check_seen(request, stored.tag, stored, values)
        site_texts.change(request, changes, logo)
        path = path_to_go_on(request) or request.route_path("administration")
        return with_message(request, "site-saved", see_other(path))

    result = process_form(request, SITE_TEXTS, save)
    if isinstance(result, Response):
        return result
    if isinstance(refused, Invalid):
        result["errors"].setdefault(refused.field, refused.reason)
    return {**result, **_values(request, result["errors"])}


def _with_example(request: ForumRequest, name: str) -> Values:
    """Return the form as it was sent, with an example of a text, which is not saved yet."""
    sent = {item.name: request.parameters.get(item.name) or "" for item in SITE_FIELDS}
    example = in_language(request, EXAMPLES[name])
    return form(form_values={**sent, name: example}, **{**_values(request), "example": name})


def _stored_logo(request: ForumRequest) -> ProcessedImage | None:
    """Return the uploaded logo, if any. Raises Invalid, RateLimited, Unavailable."""
    upload = uploaded_file(request, logos.FIELD)
    if upload is None:
        return None
    return uploads.stored(request, logos.store, upload, request.actor_id)


def _values(request: ForumRequest, errors: Values | None = None) -> Values:
    """Return what the form shows beside its fields."""
    texts = request.site_texts
    return {
        "fields": SITE_FIELDS,
        "labels": _LABELS,
        "own": texts.own,
        "examples": EXAMPLES,
        "example": None,
        "usual_accent": USUAL_ACCENT,
        "next": next_of_form(request),
        "of_ini": request.registry.site_texts.of_ini,
        "seen": seen(request, texts.tag, errors or {}),
    }
