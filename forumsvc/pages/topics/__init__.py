"""The pages of topics: lists, and a topic with its replies."""
