"""The files that a certificate is written to, the same for votes and for ratings."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from antichain.cli import _options, _screen
from antichain.errors import ParameterError

if TYPE_CHECKING:
    from antichain._files import Readable
    from antichain.certify import Certificate
    from antichain.votes._vote_log import VoteLog

_PAGES = (".html", ".htm")
_OPTIONS: dict[str, tuple[Any, Any]] = {
    "report": (
        Annotated[
            Path | None,
            _options.output("Write the result as a web page (one .html file).", "--report"),
        ],
        None,
    ),
    "markdown": (
        Annotated[
            Path | None,
            _options.output("Write the result as Markdown, for a README.", "--markdown"),
        ],
        None,
    ),
    "certificate": (
        Annotated[
            Path | None,
            _options.output(
                "Write the certificate, which antichain verify checks.",
                *("--certificate", "--output", "-o"),
            ),
        ],
        None,
    ),
    "force": (_options.Force, False),
}


@dataclass(frozen=True)
class CertificateFiles:
    """Where to write a certificate, and as what."""

    report: Path | None = None  # a page
    markdown: Path | None = None
    certificate: Path | None = None  # for `verify`
    force: bool = False  # whether to replace files

    @property
    def targets(self) -> list[Path]:
        return [path for path in (self.report, self.markdown, self.certificate) if path is not None]

    def check(self, inputs: "Iterable[Readable | None]", *others: Path | None) -> None:
        """Raise about a file that cannot be written, or is also an input or one of the others."""
        from antichain import _files

        if self.report is not None and self.report.suffix.lower() not in _PAGES:
            raise ParameterError(
                f"--report is {self.report}, but a name that ends in .html was expected: the "
                "report is a web page"
            )
        _files.check_targets([*self.targets, *others], self.force, inputs)

    def write(self, found: "Certificate", log: "VoteLog", bar: _screen.Bar) -> None:
        from antichain import _files

        if self.certificate is not None:
            _files.write_json(self.certificate, found.to_dict(), self.force)
        if self.markdown is not None:
            from antichain.certify._markdown import markdown
            from antichain.certify._reading import in_words

            text = markdown(found, in_words(found.reading))
            _files.write_bytes(self.markdown, text.encode(), self.force)
        if self.report is not None:
            from antichain.certify.report import page

            bar.note("drawing", str(self.report))
            text = page(found, log, lambda part: bar.note("drawing", part.lower()))
            _files.write_bytes(self.report, text.encode(), self.force)

    def say(self) -> None:
        for path, what in (
            (self.report, "the result as a web page"),
            (self.markdown, "the result as Markdown"),
            (self.certificate, "the certificate, which antichain verify checks"),
        ):
            if path is not None:
                _screen.say(f"{path}: {what}")


def writes_certificates(command: Callable[..., None]) -> Callable[..., None]:
    """Replace a command's parameter `outputs` by an option for each file that can be written."""
    return _options.spelt_out(command, "outputs", _OPTIONS, lambda given: CertificateFiles(**given))
