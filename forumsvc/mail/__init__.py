"""Mail: delivered behind the request's back, to a server or into a folder."""

from .delivery import Delivery, FolderDelivery, SmtpDelivery, create_delivery
from .mail_queue import MailQueue

__all__ = ["Delivery", "FolderDelivery", "MailQueue", "SmtpDelivery", "create_delivery"]
