"""What a question asks, as data: sources and target learned from examples, times and places read by grammar."""
