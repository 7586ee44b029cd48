"""What authors write: rendered, held to the community's rules, rendered anew."""
