"""From a log of votes to a certificate of its front, its report, and its verification."""

from antichain.certify.budget import Split
from antichain.certify.certificate import Certificate
from antichain.certify.certifier import certify

__all__ = ["Certificate", "Split", "certify"]
