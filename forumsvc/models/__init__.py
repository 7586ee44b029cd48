"""Tables and their constraints, one file for each noun."""

from ..db.base import Base
from .access_block import AccessBlock, AccessBlockKind, AccessBlockSeverity
from .audit_log import AdminAction, AuditRecord, Via, Visibility
from .backup import LastBackup
from .cache_version import CacheVersion
from .data_export import DataExport
from .deployment import Deployment
from .device import Device, DevicePlatform
from .draft import Draft
from .event import Event, EventPosition, EventType
from .held_post import HeldKind, HeldPost, HeldState, HoldReason
from .host import Host
from .idempotency_key import IdempotencyKey
from .job import Job, JobKind, JobState
from .login import BrowserSession, LoginAddress, LoginFailure, LoginSuccess
from .mail import MAIL_PACES, MailKind, MailPace, MailTopic
from .node import Node, Section
from .notification import MentionType, Notification, NotificationType
from .oauth import IssuedBy, OAuthClient, OAuthCode, OAuthToken
from .photo import Photo
from .post_network import PostNetwork
from .post_version import PostVersion
from .relation import (
    Favorite,
    FollowNotification,
    NodeMute,
    ReplyLike,
    TopicFollow,
    TopicLike,
    UserBlock,
    UserFollow,
)
from .reply import Reply
from .report import Report, ReportCategory, ReportState
from .restriction import Restriction, RestrictionKind
from .review import Decision, Review, ReviewKind, ReviewState
from .search import PendingReindex, ReplyWords, TopicWords
from .site_text import SITE_FIELDS, Registration, SiteField, SiteText
from .states import ACTION_TYPES
from .sweep import Sweep, SweepAction, SweptPost
from .topic import Topic
from .topic_read import ReadCutoff, TopicRead
from .user import PROFILE_TEXTS, ProfileText, Role, TextKind, User, UserState, state_at
from .webhook import ALL_EVENTS, DeliveryState, Webhook, WebhookDelivery
