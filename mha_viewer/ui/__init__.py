"""The widgets of the window: a click lives here, a computation does not."""
