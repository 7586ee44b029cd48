"""What is kept between requests: the cache versions, their invalidation, and the page cache."""
