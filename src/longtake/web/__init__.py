"""The web page, REST API and OpenAI-compatible endpoint of `longtake serve`."""
