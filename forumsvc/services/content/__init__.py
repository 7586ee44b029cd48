"""The texts of authors: rendering, the community's rules, and rerendering."""
