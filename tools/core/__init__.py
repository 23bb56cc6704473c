"""What every tool shares: its contract, its context, its result, and the evidence it finds."""
