"""Decoys in real life: making degraded versions, and checking that they work as decoys.

`make_decoys` writes degraded versions of files, `check_decoys` says what votes on them show, and
`plan_calibration` says how many such votes are needed. docs/guides/decoys.md is the guide.
"""

from antichain.decoys._calibration import (
    CalibrationPlan,
    DecoyCheck,
    DecoyReport,
    check_decoys,
    plan_calibration,
)
from antichain.decoys._makers import Maker, Manifest, kinds, make_decoys, maker_of, read_manifest

__all__ = [
    "CalibrationPlan",
    "DecoyCheck",
    "DecoyReport",
    "Maker",
    "Manifest",
    "check_decoys",
    "kinds",
    "make_decoys",
    "maker_of",
    "plan_calibration",
    "read_manifest",
]
