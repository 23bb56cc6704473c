"""The shared contract of all tools: declaration, context, result and evidence."""
