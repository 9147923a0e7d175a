"""Contract suites: check your own algorithm, arena, maximum finder or store in one line.

    >>> import antichain as ac
    >>> from antichain.testing import check_algorithm, check_arena
    >>> check_algorithm(ac.UnchainedBandits(delta=0.01, decoy_gap=0.2))
    >>> check_arena(ac.MatrixArena([[0.5, 0.8], [0.2, 0.5]], ["tea", "coffee"]))

Each `check_…` function raises `ContractError` with one sentence per failure. For pytest, take the
checks one by one:

    @pytest.mark.parametrize("check", algorithm_checks(MyMethod(delta=0.01)), ids=str)
    def test_contract(check):
        check()
"""

from antichain.errors import ContractError
from antichain.testing._algorithm_checks import algorithm_checks, check_algorithm
from antichain.testing._arena_checks import arena_checks, check_arena
from antichain.testing._contract import Check
from antichain.testing._finder_checks import check_maximum_finder, finder_checks
from antichain.testing._store_checks import check_store, store_checks

__all__ = [
    "Check",
    "ContractError",
    "algorithm_checks",
    "arena_checks",
    "check_algorithm",
    "check_arena",
    "check_maximum_finder",
    "check_store",
    "finder_checks",
    "store_checks",
]
