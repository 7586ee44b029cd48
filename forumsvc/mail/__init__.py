"""Mail: delivered behind the request's back, to a server or into a folder."""

from .delivery import Delivery, FolderDelivery, SmtpDelivery, make_delivery
from .outbox import Outbox

__all__ = ["Delivery", "FolderDelivery", "Outbox", "SmtpDelivery", "make_delivery"]
