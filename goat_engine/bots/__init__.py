"""Bots: they see a seat's view and nothing else."""
