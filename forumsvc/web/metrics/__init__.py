"""What Prometheus reads of this process and of the other workers of its server."""
