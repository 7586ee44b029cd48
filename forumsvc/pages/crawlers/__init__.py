"""For search engines: robots.txt and the sitemap."""
