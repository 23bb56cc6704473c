"""Files to take along: transcripts, subtitles, clips, chapters and evidence bundles."""
