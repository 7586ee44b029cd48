"""Rate limits of IP addresses, users and applications."""
