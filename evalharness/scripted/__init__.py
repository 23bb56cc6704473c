"""The scripted suite: videos generated from a grammar of events, with questions whose answers are known."""
