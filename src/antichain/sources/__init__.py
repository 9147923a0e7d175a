"""Rows from anywhere, as chunks of coded texts: what votes and ratings are read from.

`_opening` opens a path, standard input, a file, a table in memory or an iterable; `_streams`
unpacks bytes (gz, zip); `_delimited` finds the fields of CSV, and `_values` those of JSON, of
Python rows and of data frames; `_chunks` says what every source yields.
"""
