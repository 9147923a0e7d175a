"""`python -m antichain` is the `antichain` command."""

import sys

from antichain.cli import main

if __name__ == "__main__":
    sys.exit(main())
