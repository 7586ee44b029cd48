"""The resource tree under /api/v3. Each `__acl__` says which principals have which permissions."""
