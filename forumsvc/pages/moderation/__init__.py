"""The pages of moderators, and those on which members report something."""
