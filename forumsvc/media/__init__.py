"""Images: processed (`images`), stored (`storage`, `local_storage`, `s3`), generated (`avatars`).

An image is bytes and pixels; a photo is the resource of the API that owns one.
The package knows neither database nor HTTP nor settings: everything is passed as an argument.
"""
