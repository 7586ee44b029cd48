"""Mail: delivered behind the request's back, to a server or into a folder."""

from .delivery import Delivery, FolderDelivery, SmtpDelivery, make_delivery
from .mail_queue import Outbox

__all__ = ["Delivery", "FolderDelivery", "Outbox", "SmtpDelivery", "make_delivery"]
