"""How fast the viewer is; `make bench` runs these, and no test passes or fails by them."""

import os

# Before numpy is imported: the window's process keeps to one thread of BLAS; see `mha_viewer.cli`.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
