"""`python -m antichain`: the same as the command `antichain`."""

import sys

from antichain.cli import main

if __name__ == "__main__":  # a process of a pool imports this module too
    sys.exit(main())
