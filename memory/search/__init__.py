"""The search indexes: words, vectors and documents, and the hybrid search over them."""
