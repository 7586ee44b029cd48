"""The metrics of this process and of the other workers of its server, for Prometheus."""
