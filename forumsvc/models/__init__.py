"""Tables and their constraints, one file for each noun."""

from ..db.base import Base
from .cache_version import CacheVersion
from .idempotency_key import IdempotencyKey
from .login import BrowserSession, LoginAddress, LoginFailure, LoginSuccess
from .node import Node, Section
from .notification import MentionType, Notification, NotificationType
from .notification_job import NotificationJob
from .oauth import IssuedBy, OAuthClient, OAuthCode, OAuthToken
from .photo import Photo
from .relation import (
    Favorite,
    FollowNotification,
    ReplyLike,
    TopicFollow,
    TopicLike,
    UserBlock,
    UserFollow,
)
from .reply import Reply
from .topic import Topic
from .user import Role, User, UserState

__all__ = [
    "Base",
    "BrowserSession",
    "CacheVersion",
    "Favorite",
    "FollowNotification",
    "IdempotencyKey",
    "IssuedBy",
    "LoginAddress",
    "LoginFailure",
    "LoginSuccess",
    "MentionType",
    "Node",
    "Notification",
    "NotificationJob",
    "NotificationType",
    "OAuthClient",
    "OAuthCode",
    "OAuthToken",
    "Photo",
    "Reply",
    "ReplyLike",
    "Role",
    "Section",
    "Topic",
    "TopicFollow",
    "TopicLike",
    "User",
    "UserBlock",
    "UserFollow",
    "UserState",
]
