"""How hypothesis draws its examples in all tests."""

import os

from hypothesis import settings

# The first call of a compiled kernel takes the compiler's time, which is no failure. The same
# examples are drawn each time, so that a change is tested and not luck; HYPOTHESIS_FRESH=1 draws
# others.
fresh = bool(os.environ.get("HYPOTHESIS_FRESH"))
settings.register_profile("antichain", deadline=None, derandomize=not fresh)
settings.load_profile("antichain")
