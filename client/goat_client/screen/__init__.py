"""The full screen: prompt_toolkit's application around the views. Nothing outside this room imports that library."""
