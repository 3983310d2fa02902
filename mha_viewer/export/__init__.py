"""Files out of a reading: pictures as PNG, SVG and PDF."""

from mha_viewer.export.errors import ExportError
from mha_viewer.export.save import save_figure

__all__ = ["ExportError", "save_figure"]
