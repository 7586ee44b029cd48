"""What a person calls their browser, from the header User-Agent."""

_NAMES = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
)
"""What the header holds, and the name; the first that fits, as most of them name others, too."""
_SYSTEMS = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)


def browser_name(user_agent: str | None) -> str:
    """Return the browser and its system, as "Firefox, Linux"; "" where neither is known."""
    header = user_agent or ""
    names = (
        next((name for part, name in table if part in header), "") for table in (_NAMES, _SYSTEMS)
    )
    return ", ".join(name for name in names if name)
