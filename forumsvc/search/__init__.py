"""Search without a database: the words of texts and of queries, ranking, and excerpts."""
