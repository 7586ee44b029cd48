"""The endpoints of access blocks."""

from ..models import AccessBlockKind
from ..permissions import AccessBlockPermission
from ..queries import access_blocks as reading
from ..resources.access_blocks import AccessBlockItem, AccessBlocks
from ..schemas.access_blocks import ACCESS_BLOCK_FORM
from ..schemas.paging import PAGED
from ..services.access import blocks
from ..services.access.blocks import Block
from ..web.api.api_view import api_view
from ..web.api.request import ForumRequest
from ..web.responses.results import Detail, Kind, Listing, Ok

_MANAGE = AccessBlockPermission.MANAGE


@api_view(AccessBlocks, "GET", _MANAGE, schema=PAGED)
def list_access_blocks(container: AccessBlocks, request: ForumRequest) -> Listing:
    """List the blocks, the newest first."""
    result, cursors = reading.page_of(request.db, request.page)
    return Listing(Kind.ACCESS_BLOCK, "access_blocks", result, cursors)


@api_view(AccessBlocks, "POST", _MANAGE, schema=ACCESS_BLOCK_FORM)
def create_access_block(container: AccessBlocks, request: ForumRequest) -> Detail:
    """Add a block, or change the one of the same kind and value."""
    values = dict(request.validated)
    kind, force = AccessBlockKind(values.pop("kind")), values.pop("force")
    block = Block(kind, **values)
    block_id, is_new = blocks.put(
        request.db, request.actor_id_or_none, request.now, block, force=force
    )
    _expire(request)
    return Detail(Kind.ACCESS_BLOCK, container.get(block_id), is_new=is_new)


@api_view(AccessBlockItem, "GET", _MANAGE)
def read_access_block(item: AccessBlockItem, request: ForumRequest) -> Detail:
    return Detail(Kind.ACCESS_BLOCK, item)


@api_view(AccessBlockItem, "DELETE", _MANAGE)
def delete_access_block(item: AccessBlockItem, request: ForumRequest) -> Ok:
    blocks.remove(request.db, request.actor_id_or_none, request.now, item.row_id)
    _expire(request)
    return Ok()


def _expire(request: ForumRequest) -> None:
    """Let this process look for the change once it is committed."""
    networks = request.registry.blocked_networks
    request.add_finished_callback(lambda request: networks.expire())
