"""The documentation for developers: the guide and the explorer."""
