"""From a log of votes to a certificate of its front, to words and pictures, and back to the votes.

The way of a log: `_weigh` (evidence) → `_claims` → `_certifier` and `_certificate` → `_wording`,
`report`; `_verification` goes back from a certificate to the votes.
"""

from antichain.certify._certificate import Certificate
from antichain.certify._certifier import certify
from antichain.certify._claims import Split

__all__ = ["Certificate", "Split", "certify"]
