"""Ratings at any size: read them, count them pair by pair, make them up, fetch them.

`rating_log` reads any file, `releases` those of MovieLens. A first pass counts ratings per item,
a second one wins and ties per pair, here or on a cluster (`ballots`). `rated_items` does both in
one call and makes the paper's table; `rater_arenas` lets raters answer duels.
"""
