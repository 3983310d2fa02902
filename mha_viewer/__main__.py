"""`python -m mha_viewer`: the same program as `mha-viewer`."""

import sys

from mha_viewer.cli import main

if __name__ == "__main__":
    sys.exit(main())
