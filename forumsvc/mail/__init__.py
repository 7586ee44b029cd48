"""Email: its texts, its messages, and ways to deliver them."""

from .delivery import Delivery, FolderDelivery, SmtpDelivery, create_delivery

__all__ = ["Delivery", "FolderDelivery", "SmtpDelivery", "create_delivery"]
