"""What goes wrong with an export."""

from __future__ import annotations


class ExportError(Exception):
    """A figure cannot be made or written; the message is one sentence for the user."""
