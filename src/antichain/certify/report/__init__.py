"""A self-contained page about a certificate: nothing is loaded from elsewhere, one script searches."""

from antichain.certify.report._document import page

__all__ = ["page"]
