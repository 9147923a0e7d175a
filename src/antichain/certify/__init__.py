"""From a log of votes to a certificate of its front, to words and pictures, and back to the votes.

The way of a log: `weigh` (evidence) → `claims` → `certifier` and `certificate` → `wording`,
`report`; `verification` goes back from a certificate to the votes.
"""

from antichain.certify.certificate import Certificate
from antichain.certify.certifier import certify
from antichain.certify.claims import Split

__all__ = ["Certificate", "Split", "certify"]
