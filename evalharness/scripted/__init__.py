"""The suite without annotation: videos made from a grammar of events, and questions whose answers follow from it."""
