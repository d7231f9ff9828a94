"""Saved matches: listed, checked, stepped through and counted."""
