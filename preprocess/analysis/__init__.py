"""What is measured of frames: changes, shots, movement, moments. No model is used."""
