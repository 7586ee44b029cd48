"""The search."""

from pyramid.authorization import Allow

from ..permissions import SearchPermission as May
from ..security import principals
from .base import Acl, Resource

OFF = "off"
_OPEN_TO = {
    "everyone": principals.EVERYONE,
    "members": principals.USER,
    "established": principals.ESTABLISHED,
}


class Search(Resource):
    """`/api/v3/search`. It does not exist where `search.open_to` is off."""

    def __acl__(self) -> Acl:
        """Whom the setting names may search, and moderators also what is hidden."""
        return [
            (Allow, _OPEN_TO[self.root.settings["search.open_to"]], May.SEARCH),
            (Allow, principals.MODERATOR, (May.SEARCH, May.SEARCH_HIDDEN)),
        ]
