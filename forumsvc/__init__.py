"""forumsvc: a community forum as a JSON HTTP service."""
