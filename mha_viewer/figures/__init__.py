"""Ink: colour maps, the layout of patterns and tokens, and the paint code of screen and export."""
