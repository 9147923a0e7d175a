"""The paper's experiments: a small spec, a sweep of runs, a tidy table, a figure.

`Spec` says what is varied and what is measured; `sweep` runs it on any executor and can be
interrupted; `curves` turns rows into what a figure shows. Nothing here needs an extra but
writing tables (polars), drawing (matplotlib) and a Dask cluster (distributed).
"""

from antichain.experiments._engine import sweep
from antichain.experiments._findings import Curve, curves
from antichain.experiments._output import repeat
from antichain.experiments._rows import Key, Method, Row, method_of, run_row
from antichain.experiments._spec import Spec, builtin_names, load_spec

__all__ = [
    "Curve",
    "Key",
    "Method",
    "Row",
    "Spec",
    "builtin_names",
    "curves",
    "load_spec",
    "method_of",
    "repeat",
    "run_row",
    "sweep",
]
