"""The audit of a multiple-choice benchmark (Video-Oasis): which items can be solved without the video."""
