"""What holds in all tests: how hypothesis draws its examples, and how messages are read."""

import os

import pytest
from hypothesis import settings

from antichain._option_names import typed

# The first call of a compiled kernel takes the compiler's time, which is no failure. The same
# examples are drawn each time, so that a change is tested and not luck; HYPOTHESIS_FRESH=1 draws
# others.
fresh = bool(os.environ.get("HYPOTHESIS_FRESH"))
settings.register_profile("antichain", deadline=None, derandomize=not fresh)
settings.load_profile("antichain")


@pytest.fixture(autouse=True)
def _messages_as_written():
    """Errors name options as flags, as they are written; tests/test_errors.py has how they read."""
    with typed():
        yield
