"""What all tools share: how they are declared, what they receive, and what they return."""
