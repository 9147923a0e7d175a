"""Pictures of orders and results.

`layout` and `scale` compute what a Hasse diagram shows and where; `hasse`, `curves` and
`histogram` draw what they are given; `pictures` turns a figure into the bytes of a file.
"""
