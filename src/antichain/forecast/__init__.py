"""How many duels a search will take: forecasts by simulation (docs/guides/planning.md)."""

from antichain.forecast._planning import Forecast, plan, remaining

__all__ = ["Forecast", "plan", "remaining"]
