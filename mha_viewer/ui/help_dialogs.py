"""Help and About: pages of the application's own, shown in one window that stays open."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget


def show_help(parent: QWidget, topic: str = "") -> None:
    """Stub."""


def show_about(parent: QWidget) -> None:
    """Stub."""
