"""A form that was sent: read, or shown again with what is wrong about it."""

from collections.abc import Callable
from typing import Any

import colander
from pyramid.response import Response

from ..errors import Invalid, RateLimited
from ..schemas.validation import validate
from .page_context import PageContext
from .templating import render_page

WHOLE_FORM = ""
"""In place of a field's name: what is wrong is wrong with the whole form."""

Submit = Callable[[dict[str, Any]], Response]


def process_form(
    context: PageContext,
    schema: colander.SchemaNode,
    submit: Submit,
    template: str,
    **values: Any,
) -> Response:
    """Return what `submit` makes of the form's values; where it is wrong, the form again.

    submit: may raise Invalid, naming a field, or RateLimited; template: the form's page, which
    also gets `values` and what was sent; secrets are for it to leave out.
    """
    request = context.request
    sent = {node.name: request.parameters.get(node.name) or "" for node in schema.children}
    try:
        return submit(validate(schema, request.parameters))
    except Invalid as error:
        again = render_page(
            context, template, sent=sent, errors={error.field: error.reason}, **values
        )
        again.status_int = 400
    except RateLimited as error:
        again = render_page(context, template, sent=sent, errors={WHOLE_FORM: str(error)}, **values)
        again.status_int = 429
        again.headers["Retry-After"] = str(error.retry_after)
    return again
