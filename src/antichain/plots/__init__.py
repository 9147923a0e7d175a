"""Pictures of orders and results.

    >>> import antichain as ac
    >>> ac.plots.hasse(ac.Poset.from_relations([("tea", "rain"), ("fog", "rain")]))
    Picture('Hasse diagram of 3 items')

Each shows itself in a notebook, and `Picture.save` writes it to a file; all need matplotlib.
"""

from antichain.plots._drawing import Picture, chances, forecast, hasse

__all__ = ["Picture", "chances", "forecast", "hasse"]
