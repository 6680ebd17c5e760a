"""Anything to tables: arrays, dataframes, files and clusters."""
