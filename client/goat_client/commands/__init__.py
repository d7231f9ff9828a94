"""What each command of the network game does; one module a command, imported when it is called."""
