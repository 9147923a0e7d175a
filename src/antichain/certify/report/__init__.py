"""A self-contained page about a certificate: no script, nothing loaded from elsewhere."""

from antichain.certify.report.page import page

__all__ = ["page"]
