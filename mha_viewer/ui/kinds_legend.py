"""What the kinds of head mean: their rules with the thresholds in force, and their colours."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QVBoxLayout, QWidget

from mha_viewer.figures.overview import KIND_LOOKS
from mha_viewer.ui.help_dialogs import show_help
from mha_viewer.ui.help_pages import kind_rules

_WIDTH = 400


class KindsLegend(QFrame):
    """Every kind with its rule; it closes with Esc or a click elsewhere."""

    def __init__(self, anchor: QWidget) -> None:
        super().__init__(anchor, Qt.WindowType.Popup)
        self._anchor = anchor
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setAccessibleName("Kinds of head")
        rows = "".join(
            f"<tr><td style='padding: 3px 8px 3px 0; color: {KIND_LOOKS[kind][0]}'>■</td>"
            f"<td style='padding: 3px 14px 3px 0'><b>{kind}</b></td>"
            f"<td style='padding: 3px 0'>{escape(rule)}</td></tr>"
            for kind, rule, _ in kind_rules()
        )
        self.text = QLabel(
            "<p>The first rule that holds names a head; the number beside a kind is the reading "
            f"that earned it.</p><table cellspacing='0'>{rows}</table>",
            self,
        )
        self.text.setTextFormat(Qt.TextFormat.RichText)
        self.text.setWordWrap(True)
        self.text.setFixedWidth(_WIDTH)
        self.more = QPushButton("More in Help", self)
        self.more.clicked.connect(self._open_help)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(14, 12, 14, 12)
        layout.addWidget(self.text)
        layout.addWidget(self.more, alignment=Qt.AlignmentFlag.AlignLeft)
        self.more.setFocus()

    def open_below(self) -> None:
        """Show the legend beside its anchor, wholly on its screen."""
        self.adjustSize()
        anchor = self._anchor
        screen = anchor.screen().availableGeometry()
        corner = anchor.mapToGlobal(QPoint(anchor.width(), anchor.height()))
        left = min(max(corner.x() - self.width(), screen.left()), screen.right() - self.width())
        top = min(corner.y() + 4, screen.bottom() - self.height())
        self.move(left, max(top, screen.top()))
        self.show()

    def _open_help(self) -> None:
        self.close()
        show_help(self._anchor, "kinds")
