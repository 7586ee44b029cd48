"""The database, without the forum: engines, statements compiled once, locks, keyset paging.

`README.md` in this folder is its interface on one page.
"""
