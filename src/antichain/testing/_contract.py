"""What a contract suite is made of: named checks, and one sentence for each that fails."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from antichain.errors import ContractError

Body = TypeVar("Body", bound=Callable[..., None])


@dataclass(frozen=True)
class Check:
    """One property to verify: call it, and it raises `ContractError` if the property fails.

    Its text form is a readable name, for the `ids` of `pytest.mark.parametrize`.
    """

    name: str
    body: Callable[[], None]
    vital: bool = False
    """Whether the other checks make no sense once this one has failed."""

    def __call__(self) -> None:
        """Verify the property."""
        self.body()

    def __str__(self) -> str:
        return self.name


def require(holds: object, message: str) -> None:
    """Raise `ContractError` with `message` unless `holds`."""
    if not holds:
        raise ContractError(message)


def vital(check: Body) -> Body:
    """Mark a check that the others rely on: if it fails, `run_checks` reports it alone."""
    check.vital = True  # type: ignore[attr-defined]
    return check


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
        raise ContractError(f"{what} was accepted, but {kind.__name__} was expected.")


def checks_of(suite: object) -> list[Check]:
    """A check for each method of `suite` whose name begins with `check_`, in their order."""
    names = [name for name in vars(type(suite)) if name.startswith("check_")]
    bodies = [getattr(suite, name) for name in names]
    return [
        Check(
            name.removeprefix("check_").replace("_", " "), body, vital=getattr(body, "vital", False)
        )
        for name, body in zip(names, bodies, strict=True)
    ]


def run_checks(subject: object, checks: Sequence[Check]) -> None:
    """Run all checks, then report every one that failed in a single `ContractError`.

    After a vital check has failed, the rest are left out: they would fail for the same reason.
    """
    failures: list[tuple[Check, Exception]] = []
    for check in checks:
        try:
            check()
        except Exception as error:  # whatever the code under test raises is a finding
            failures.append((check, error))
            if check.vital:
                break
    if failures:
        lines = [f"- {check}: {_message(error)}" for check, error in failures]
        if failures[-1][0].vital:
            lines.append("The checks after this one were not run: they rely on it.")
        name = getattr(subject, "__name__", type(subject).__name__)
        summary = f"{name} fails {len(failures)} of {len(checks)} checks:"
        raise ContractError("\n".join([summary, *lines])) from failures[0][1]


def _message(error: Exception) -> str:
    if isinstance(error, ContractError):
        return str(error)
    return f"{type(error).__name__}: {error}"
