"""The LangGraph state machine, its controllers, claims, traces and commands."""
