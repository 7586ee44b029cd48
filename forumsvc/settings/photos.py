"""The settings of photos, the uploaded images."""

from .setting import Setting
from .setting_types import FOLDER, TEXT, URL, choice, integer, or_off

PHOTOS: tuple[Setting, ...] = (
    Setting(
        "photos.storage",
        choice("local", "s3"),
        "local",
        "where new photos are stored: in photos.dir, or in a bucket of S3 or a compatible service",
    ),
    Setting("photos.dir", FOLDER, "var/photos", "the folder of the local storage"),
    Setting(
        "photos.quota",
        or_off(integer(0, 10**15, "bytes")),
        "500000000",
        "how many bytes of photos a member may have stored; 0 or off: any number",
    ),
    Setting(
        "photos.max_bytes",
        integer(1024, 1024**3, "bytes"),
        "10000000",
        "the largest photo, in bytes",
    ),
    Setting(
        "photos.max_pixels",
        integer(1, 10**9, "pixels"),
        "25000000",
        "the largest photo, in pixels over all its frames; a JPEG of up to four times as many is "
        "stored at a smaller scale; 25 million take up to about a second of processor time",
    ),
    Setting(
        "photos.max_frames",
        integer(1, 10_000, "frames"),
        "500",
        "the longest animation, in frames",
    ),
    Setting("photos.s3_bucket", TEXT, "", "the name of the bucket, which must exist"),
    Setting("photos.s3_prefix", TEXT, "", "the prefix of every photo's name in the bucket"),
    Setting("photos.s3_endpoint", URL, "", "the URL of the object store; empty: Amazon's"),
    Setting("photos.s3_region", TEXT, "", "its region; empty: what boto3 finds"),
    Setting(
        "photos.s3_access_key", TEXT, "", "its access key; empty: what boto3 finds", secret=True
    ),
    Setting("photos.s3_secret_key", TEXT, "", "the secret of that key", secret=True),
    Setting(
        "photos.s3_public_url",
        URL,
        "",
        "the public URL of the bucket; empty: clients get presigned URLs",
    ),
    Setting(
        "photos.s3_presign_seconds",
        integer(1, 604_800),
        "3600",
        "how long a presigned URL is valid",
    ),
)
