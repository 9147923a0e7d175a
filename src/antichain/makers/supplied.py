"""Decoys that somebody made by hand: names only, checked to be complete."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from antichain.errors import InputError


def supplied_decoys(items: Iterable[str], decoys: Mapping[str, str]) -> dict[str, str]:
    """The decoy of each item, once it is known that each has one of its own.

    Args:
        items: The items' names.
        decoys: For each of them the name of its decoy.

    >>> supplied_decoys(["Alien"], {"Alien": "Alien, 240p"})
    {'Alien': 'Alien, 240p'}
    """
    if not isinstance(decoys, Mapping):
        raise InputError(
            f"decoys are given as {type(decoys).__name__}, but a mapping from each item's name to "
            "its decoy's was expected."
        )
    names = list(items)
    owner: dict[str, str] = {}
    for item in names:
        decoy = decoys.get(item)
        if not isinstance(decoy, str) or not decoy.strip():
            raise InputError(f"{item!r} has the decoy {decoy!r}, but the name of one was expected.")
        if decoy in names:
            raise InputError(
                f"{item!r} has the decoy {decoy!r}, which is an item, but another name was "
                "expected."
            )
        if decoy in owner:
            raise InputError(
                f"{decoy!r} is the decoy of {owner[decoy]!r} and of {item!r}, but a decoy of its "
                "own for each item was expected."
            )
        owner[decoy] = item
    for item in decoys:
        if item not in names:
            raise InputError(f"a decoy is given for {item!r}, which is not among the items.")
    return {item: decoys[item] for item in names}
