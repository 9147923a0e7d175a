"""Studies that many people vote in at once, in their browsers (docs/guides/serve.md).

Records of what happened are kept in a store; what a voter is handed is decided by a desk, which is
cheap; what the votes show is worked out by a follower, in a process of its own, so that no voter
waits for it. The service between them knows nothing of HTTP.
"""

from antichain.serve._client import ServedStudy
from antichain.serve._stores import MemoryStore, Store

__all__ = ["MemoryStore", "ServedStudy", "Store"]
