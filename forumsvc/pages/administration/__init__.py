"""The pages of admins: nodes, sections, roles, and where the site's texts are set."""
