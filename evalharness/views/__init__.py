"""Views: what a subject is shown of an item instead of the whole video (Video-Oasis); see `docs/audit.md`."""
