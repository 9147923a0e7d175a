"""Ratings at any size: read them, count them pair by pair, make them up, fetch them.

Reading yields chunks (`log`), a first pass counts ratings an item (`census`), a second one
counts wins and ties a pair (`reduce`), here or on a cluster (`cluster`).
"""
