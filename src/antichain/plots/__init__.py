"""Pictures of orders and results.

`_layout` computes what a Hasse diagram shows and where; `_hasse` and `_curves` draw what they are
given; `_pictures` turns a figure into the bytes of a file.
"""
