"""Engines that find where one shot ends and the next begins."""
