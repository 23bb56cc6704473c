"""What model judges are asked, as files."""
