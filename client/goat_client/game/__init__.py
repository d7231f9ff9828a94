"""What people know of a table and ask of it: models and commands, without a widget, a clock or a network."""
