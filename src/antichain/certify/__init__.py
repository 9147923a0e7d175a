"""From a log of votes to a certificate of its front, to words and pictures, and back to the votes.

The way of a log: `_weigh` (evidence) → `_verdicts` (items, by counts) or `_replay` (in the order of
asks) → `_claims` (pairs) → `_naming`, `_certifier` and `_certificate` → `_wording`,
`_explaining` and `report`.
`_estimate` adds the likely front, which is an estimate and not a claim. `_verification` goes back
from a certificate to the votes, for version 1 by `_first_rule`.
"""

from antichain.certify._certificate import (
    Against,
    Certificate,
    Criteria,
    DecoyClaim,
    Group,
    Inside,
    Likely,
    LogCheck,
    Missing,
    Out,
    PairClaim,
    Pairs,
    Quality,
    Record,
    SideBias,
)
from antichain.certify._certifier import certify

__all__ = [
    "Against",
    "Certificate",
    "Criteria",
    "DecoyClaim",
    "Group",
    "Inside",
    "Likely",
    "LogCheck",
    "Missing",
    "Out",
    "PairClaim",
    "Pairs",
    "Quality",
    "Record",
    "SideBias",
    "certify",
]
