"""The page, the REST API and the OpenAI-compatible endpoint of `longtake serve`."""
