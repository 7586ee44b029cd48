"""Sending email: queued, and delivered by a thread to an SMTP server or into a folder."""

from .delivery import Delivery, FolderDelivery, SmtpDelivery, create_delivery
from .mail_queue import MailQueue

__all__ = ["Delivery", "FolderDelivery", "MailQueue", "SmtpDelivery", "create_delivery"]
