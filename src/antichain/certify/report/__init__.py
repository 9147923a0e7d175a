"""A self-contained page about a certificate: no script, nothing loaded from elsewhere."""

from antichain.certify.report._document import page

__all__ = ["page"]
