"""Shot boundaries: cuts, dissolves and fades."""
