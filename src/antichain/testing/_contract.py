"""What a contract suite is made of: named checks, and one sentence for each that fails."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from antichain.errors import ContractError


@dataclass(frozen=True)
class Check:
    """One property to verify: call it, and it raises `ContractError` if the property fails.

    Its text form is a readable name, for the `ids` of `pytest.mark.parametrize`.
    """

    name: str
    body: Callable[[], None]

    def __call__(self) -> None:
        """Verify the property."""
        self.body()

    def __str__(self) -> str:
        return self.name


def require(holds: object, message: str) -> None:
    """Raise `ContractError` with `message` unless `holds`."""
    if not holds:
        raise ContractError(message)


def require_error(kind: type[Exception], names: str, move: Callable[[], object], what: str) -> None:
    """Require that `move` raises an error of this kind whose message contains `names`."""
    try:
        move()
    except kind as error:
        require(names in str(error), f"{what} raised {error!r}, which does not say {names!r}.")
    except Exception as error:
        raise ContractError(
            f"{what} raised {error!r}, but {kind.__name__} was expected."
        ) from error
    else:
        raise ContractError(f"{what} raised nothing, but {kind.__name__} was expected.")


def checks_of(suite: object) -> list[Check]:
    """A check for each method of `suite` whose name begins with `check_`, in their order."""
    names = [name for name in vars(type(suite)) if name.startswith("check_")]
    return [
        Check(name.removeprefix("check_").replace("_", " "), getattr(suite, name)) for name in names
    ]


def run_checks(subject: object, checks: Sequence[Check]) -> None:
    """Run all checks, then report every one that failed in a single `ContractError`."""
    failures: list[tuple[Check, Exception]] = []
    for check in checks:
        try:
            check()
        except Exception as error:  # whatever the code under test raises is a finding
            failures.append((check, error))
    if failures:
        lines = [f"- {check}: {_told(error)}" for check, error in failures]
        summary = f"{subject!r} fails {len(failures)} of {len(checks)} checks:"
        raise ContractError("\n".join([summary, *lines])) from failures[0][1]


def _told(error: Exception) -> str:
    if isinstance(error, ContractError):
        return str(error)
    return f"{type(error).__name__}: {error}"
