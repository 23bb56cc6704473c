"""Models on disk: the catalogue, the folder that holds them, and how they get there."""
