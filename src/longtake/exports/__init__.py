"""Files that prove an answer: clips, still images, chapters and evidence bundles."""
