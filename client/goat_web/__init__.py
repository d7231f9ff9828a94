"""Guests with nothing but a browser: a gateway that serves the page, and the seat that lives in it.

`gateway` and `assets` run on a player's machine. `page` is what a browser loads. `inside` runs in the browser, in
Pyodide: the same `goat_net` and `goat_client.game` as everywhere, with a line, a store and a screen of the page's own.
"""
