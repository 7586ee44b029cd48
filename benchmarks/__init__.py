"""How fast the forum is: real servers under load, beside a bare Pyramid view in the same run.

run: every endpoint, and mixes of reads and writes; compare: this checkout and another revision by
turns; scale: all lists of a small and a large community; soak: a long mixed load; erasure: others
while somebody is erased; marks: places in topics; mails: emails to all followers of a topic; peers:
other forums in Python, which peer_programs knows. They share fill (large communities), servers,
members, endpoints, workload (mixes), load, measure and output.
"""
