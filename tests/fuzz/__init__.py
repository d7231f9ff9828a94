"""Fuzzing: any bytes give a value or one documented error. `targets` says of what.

``python -m tests.fuzz`` runs for as long as one likes.
"""
