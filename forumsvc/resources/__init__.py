"""The resource tree: what there is under /api/v3, and in each `__acl__` who may do what with it."""
