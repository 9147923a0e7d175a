"""Ratings at any size: read them, count them pair by pair, make them up, fetch them.

`rating_log` reads any file, `releases` those of MovieLens. A first pass counts ratings per item
(`census`), a second one wins and ties per pair (`ballots`), here or on a cluster. `rated_items`
does both in one call and makes the paper's table; `rater_arenas` lets raters answer duels.
"""
