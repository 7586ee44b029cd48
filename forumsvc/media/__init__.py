"""Pictures: made harmless (`pictures`), kept (`storage`, `s3`), letter avatars (`avatars`).

Knows neither database nor HTTP nor settings: everything comes as an argument.
"""
