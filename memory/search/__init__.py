"""The search indexes: words, vectors and moments, and the hybrid search over them."""
