"""Files, streams, frames and samples: everything that reads a recording."""
