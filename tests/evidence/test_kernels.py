"""The kernels say the same with and without the compiler, to the last bit."""

import json
import os
import subprocess
import sys
from pathlib import Path

from antichain._kernels import keyed_uniform
from antichain.evidence._bet import Bet, bet_quota, log_bet
from antichain.evidence._hoeffding import direct_quota, direct_verdict

from .kernel_table import table


def _plain_table() -> list[object]:
    """The table, computed where nothing is compiled."""
    program = Path(__file__).with_name("kernel_table.py")
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    # The hash of `keyed` wraps around on purpose, of which plain numpy warns.
    command = [sys.executable, "-W", "ignore::RuntimeWarning", str(program)]
    printed = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    plain: list[object] = json.loads(printed.stdout)
    return plain


def test_compiled_and_plain_agree_bit_for_bit() -> None:
    compiled = json.loads(json.dumps(table()))
    plain = _plain_table()
    assert len(plain) == len(compiled)
    for mine, theirs in zip(compiled, plain, strict=True):
        assert mine == theirs


def test_the_plain_function_behind_a_kernel_is_at_hand() -> None:
    bet = Bet.on_gaps([0.1, 0.3], [0.5, 0.5]).packed
    for kernel, arguments in (
        (log_bet, (bet, 30, 12, 5)),
        (bet_quota, (bet, 30, 12, 5, 9.0)),
        (direct_verdict, (30, 12, 4.0, 0.1)),
        (direct_quota, (30, 12, 4.0, 0.1)),
    ):
        assert kernel(*arguments) == kernel.py_func(*arguments)  # type: ignore[attr-defined]


def test_keyed_uniforms_are_uniform_and_unrelated() -> None:
    draws = [keyed_uniform(1, 2, 3, k) for k in range(20_000)]
    assert all(0 <= draw < 1 for draw in draws)
    # Twenty bins of a thousand: a standard deviation of about 31.
    bins = [0] * 20
    for draw in draws:
        bins[int(20 * draw)] += 1
    assert max(abs(count - 1000) for count in bins) < 160
    assert len({keyed_uniform(*key) for key in ((0, 0, 0, 1), (0, 0, 1, 0), (0, 1, 0, 0))}) == 3
