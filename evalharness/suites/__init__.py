"""The suites: loaders for a user's files, and the scores of predictions."""
