"""A campaign of faults: what is killed, damaged, refused or garbled, and whether Longtake still does its work."""
