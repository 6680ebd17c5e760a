"""Scores in words, tables and files."""
