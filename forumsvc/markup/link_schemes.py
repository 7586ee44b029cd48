"""Adds the scheme that an author left out of a link: `example.org/x`, `me@example.org`."""

import re

_FILES = (
    "avif|bat|bmp|bz|c|cfg|conf|cpp|cs|css|csv|docx?|epub|exe|gif|go|gz|h|hpp|html?|ini|ipynb|iso"
    "|java|jpe?g|js|json|jsx|jar|kt|lock|log|lua|markdown|md|mk|mkv|mov|mp3|mp4|odt|ogg|pdf|php|png"
    "|pptx?|ps|py|r|rar|rb|rs|rst|sh|sql|svg|swift|tar|tex|tgz|toml|tsx?|txt|vue|wav|webm|webp|xlsx?"
    "|xml|xz|ya?ml|zip"
)
"""Names of files end so: `README.md`. Some are top-level domains, too."""
_LABEL = r"[^\W_](?:[\w-]{0,61}[^\W_])?"
_HOST = rf"(?:{_LABEL}\.){{1,20}}(?:[^\W\d_]{{2,63}}|(?i:xn--)[A-Za-z0-9-]{{1,59}})"
_WITHOUT_SCHEME = re.compile(
    rf"(?!(?!www\.)(?i:[^/?#:]*\.(?:{_FILES}))(?:[?#]|\Z)){_HOST}(?::[0-9]{{1,5}})?(?=[/?#]|\Z)"
)
_EMAIL = re.compile(rf"[\w.!$%&'*+=^`{{|}}~-]{{1,64}}@{_HOST}(?=\?|\Z)")


def with_scheme(url: str) -> str:
    """Return a URL with `https://` or `mailto:` in front if it begins with a host or is an address.

    Paths stay as they are, and what may be the name of a file: `topics/1`, `README.md`.
    """
    if _WITHOUT_SCHEME.match(url):
        return f"https://{url}"
    return f"mailto:{url}" if _EMAIL.match(url) else url
