"""MHA Viewer: what every attention head of a transformer looks at."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mha_viewer.api import Head, kinds, open_model, save_figure, survey, take_reading

__version__ = "0.1.0"
__all__ = ["Head", "__version__", "kinds", "open_model", "save_figure", "survey", "take_reading"]


def __getattr__(name: str) -> Any:
    # Loaded on first use: importing the package alone costs nothing.
    if name in __all__:
        from mha_viewer import api

        return getattr(api, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
