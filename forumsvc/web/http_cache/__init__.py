"""HTTP caching (RFC 9110 §13, RFC 9111): entity tags, conditional requests, cached responses."""
