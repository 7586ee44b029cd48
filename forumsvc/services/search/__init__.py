"""The index of the search."""
