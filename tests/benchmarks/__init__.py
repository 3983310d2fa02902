"""How fast the viewer is; `make bench` runs these, and no test passes or fails by them."""
