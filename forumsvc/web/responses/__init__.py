"""From what a view returns to the bytes and headers of the answer."""
