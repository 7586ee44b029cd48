"""What stays true from one request to the next: versions, invalidation and the page cache."""
