"""Rows from anywhere, as chunks of coded texts: what votes and ratings are read from.

`opening` opens a path, standard input, an open file, a table in memory or an iterable; `streams`
unpacks bytes (gz, zip); `delimited`, `row_source` and `frames` find the fields of CSV, of JSON and
Python rows, and of data frames; `chunks` says what every source yields.
"""
