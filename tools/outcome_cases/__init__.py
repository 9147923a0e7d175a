"""The cases of `tools/outcomes.py`: each module's `cases()` gives names and functions to call."""
