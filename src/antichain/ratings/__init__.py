"""Ratings at any size: read them, count them pair by pair, make them up, fetch them.

`_rating_log` reads any file, `_releases` those of MovieLens. A first pass counts ratings per item,
a second one wins and ties per pair, here or on a cluster (`_ballots`). `_rated_items` does both in
one call and makes the paper's table; `_rater_arenas` lets raters answer duels.
"""
