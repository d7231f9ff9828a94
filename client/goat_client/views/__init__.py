"""Views: the model in, spans of styled text out. Pure; nothing here knows a widget or a terminal."""
