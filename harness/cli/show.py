"""`rankproof show`: print a measure, axis, convention, profile, library, case or signature."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from rankproof.cli.options import as_json, details, own_adapters
from rankproof.codec import encode
from rankproof.terminal import say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankproof.inference.fingerprint_file import Fingerprint


@click.command("show")
@click.argument("name", required=False, default="")
@click.argument("other", required=False, default="", metavar="[SIGNATURE]")
@click.option(
    "-r",
    "--results",
    type=click.Path(path_type=Path, exists=True),
    help="Infer the conventions of libraries from these results of `rankproof run`, not from the published run.",
)
@own_adapters
@details
@as_json
def command(
    *, name: str, other: str, results: Path | None, adapters: Path | None, details: bool, as_json: bool
) -> None:
    """Show NAME: a measure, axis, convention, profile, library, case or signature. Two signatures are compared.

    \b
    rankproof show                  a list of everything
    rankproof show ties             an axis, and the conventions of each library
    rankproof show gain=exp         one convention
    rankproof show nDCG@10          a measure
    rankproof show sklearn/rows     the conventions of a library
    rankproof show libraries        all libraries and how to install them
    rankproof show 'nDCG@10|gain:exp' 'nDCG@10|ties:input'
    """
    from rankproof.explain import lookup
    from rankproof.report import show as report

    if name == "libraries":
        from rankproof.history.installed import installed
        from rankproof.workers.known_libraries import with_own

        known = [installed(library) for library in with_own(adapters)]
        say(encode(known, indent=2) if as_json else "\n".join(report.libraries(known)))
    elif name in {"measures", "axes", "profiles"}:
        names = lookup.names()[name]
        facts = names if name == "profiles" else [lookup.show(entry) for entry in names]
        say(encode(facts, indent=2) if as_json else "\n".join(report.names(name, names)))
    else:
        result = lookup.show(name, other, None if results is None else _inferred(results, name))
        say(encode(result, indent=2) if as_json else "\n".join(report.text(result, details=details)))


def _inferred(results: Path, name: str) -> "Sequence[Fingerprint]":
    """Infer fingerprints from results: those of the named library, or of all libraries if the name is an axis."""
    from rankproof import cases as corpus
    from rankproof.cli import progress
    from rankproof.judge.fingerprints import observations_of
    from rankproof.judge.results_file import load
    from rankproof.workers.known_libraries import usual_name

    observed = observations_of(load(results))
    own = [observation for observation in observed if observation.subject.library == usual_name(name)]
    called = own or [observation for observation in observed if observation.subject.is_called(usual_name(name))]
    return progress.infer_fingerprints(called or observed, {case.id: case for case in corpus.load_all()})
