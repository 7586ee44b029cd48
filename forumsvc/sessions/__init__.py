"""Who is logged in, and by which means: a password is the first one.

A means checks what somebody presents and returns an `Authentication`; a browser session, or an
OAuth token, is made of that. Another means is one more module beside `password_login.py`.
"""
