"""Photos: uploaded, stored, checked and copied between storages."""
