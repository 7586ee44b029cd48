"""The read side: statements built once, columns instead of entities, every list O(page)."""
