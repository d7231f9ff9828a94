"""The game in lines of text: for screen readers, plain terminals and scripts."""
