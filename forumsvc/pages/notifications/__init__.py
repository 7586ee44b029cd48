"""The page of one's own notifications."""
