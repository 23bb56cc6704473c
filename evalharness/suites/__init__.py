"""The suites: loaders of the files a user has, and how their predictions are scored."""
