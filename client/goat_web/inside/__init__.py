"""The seat in a page. `picture` says what is on the screen, `door` carries it out and commands in, `store` and `line`
are disk and network by the browser's means."""
