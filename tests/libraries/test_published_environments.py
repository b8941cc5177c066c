"""Libraries that run only in their own environments: the published values follow the sheets.

These environments take gigabytes, so the tests judge the published values again with the current sheets and reference.
"""

import gzip
import json
from operator import attrgetter

import pytest
from installed_libraries import in_environments, of_other_languages, of_this_interpreter
from published_run import REPORTS

from rankproof import cases as corpus
from rankproof.history.installed import main_plan
from rankproof.judge import results_file
from rankproof.judge.fingerprints import observations_of
from rankproof.judge.runs import corpus_of, judge_all
from rankproof.judge.verdicts import HOLDS
from rankproof.workers.known_libraries import Library
from rankproof.workers.library_worker import adapter_of
from rankproof.workers.rounds import LibraryAnswers

EVERY = [*in_environments(), *of_other_languages(), *of_this_interpreter()]


@pytest.mark.parametrize("library", [*in_environments(), *of_other_languages()], ids=attrgetter("name"))
def test_published_values_follow_the_sheet(library: Library) -> None:
    results = results_file.load(results_file.file_of(REPORTS, library.name))
    cases = corpus.load_all()
    assert results.header["corpus"] == corpus_of(cases), (
        "other cases are published: type `rankproof run --publish reports`"
    )
    (installation,) = results.installations
    seen = [observation for observed in observations_of(results) for observation in observed.observations]
    run = judge_all(cases, [LibraryAnswers(library, installation.as_json(), tuple(seen))])
    # Unstable values are not published.
    assert [text for text in map(str, run.complaints) if "pins 'unstable'" not in text] == []
    assert sum(row.verdict in HOLDS for row in run.rows) > 50, "the library was hardly run"


@pytest.mark.parametrize("library", EVERY, ids=attrgetter("name"))
def test_published_values_are_from_the_current_adapter(library: Library) -> None:
    """Changes of an adapter require a new published run."""
    with gzip.open(results_file.file_of(REPORTS, library.name), "rt", encoding="utf-8") as lines:
        header = json.loads(next(lines))
    assert header["adapter"] == adapter_of(library), (
        "the adapter changed since it was published: run `rankproof run --publish reports`, and read which values changed"
    )


@pytest.mark.parametrize("library", in_environments(), ids=attrgetter("name"))
def test_sheet_names_the_environment_of_its_claims(library: Library) -> None:
    assert main_plan(library) is not None


def test_every_library_is_published() -> None:
    published = {path.name.partition(".")[0] for path in results_file.files_below(REPORTS / results_file.FOLDER)}
    assert {library.name for library in EVERY} == published, "run `rankproof run --publish reports`"
