"""A self-contained page about a certificate: it loads nothing, and has one script at most."""

from antichain.certify.report._document import page

__all__ = ["page"]
