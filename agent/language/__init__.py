"""Words, amounts and statements of English, as data."""
