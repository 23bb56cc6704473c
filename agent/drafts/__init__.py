"""What a controller writes: its drafts as data, their statements and marks, and how they are published."""
