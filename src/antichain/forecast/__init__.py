"""How many duels a search will take, and which ones: forecasts by simulation (docs/planning.md)."""

from antichain.forecast._planning import Forecast, plan, remaining

__all__ = ["Forecast", "plan", "remaining"]
