"""The libraries that are asked in environments alone: what was published of them is what their sheets claim.

They are not asked in a usual run, as their environments take gigabytes. What they answered stands in the published results, and is judged
here anew, by the present sheets and the present reference.
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
def test_what_was_published_is_what_the_sheet_claims(library: Library) -> None:
    results = results_file.load(results_file.file_of(REPORTS, library.name))
    cases = corpus.load_all()
    assert results.header["corpus"] == corpus_of(cases), "asked another corpus: publish it again"
    (installation,) = results.installations
    seen = [observation for observed in observations_of(results) for observation in observed.observations]
    run = judge_all(cases, [LibraryAnswers(library, installation.as_json(), tuple(seen))])
    # What is another answer each time is no observation, and is not kept as one.
    assert [said for said in map(str, run.complaints) if "pins 'unstable'" not in said] == []
    assert sum(row.verdict in HOLDS for row in run.rows) > 50, "the library was hardly asked anything"


@pytest.mark.parametrize("library", EVERY, ids=attrgetter("name"))
def test_what_was_published_was_asked_by_the_adapter_as_it_is(library: Library) -> None:
    """What an adapter hands on shows in what the library answers: who changes a line of it asks again, and reads what moved."""
    with gzip.open(results_file.file_of(REPORTS, library.name), "rt", encoding="utf-8") as lines:
        header = json.loads(next(lines))
    assert header["adapter"] == adapter_of(library), "asked by another adapter: publish it again, and read what moved"


@pytest.mark.parametrize("library", in_environments(), ids=attrgetter("name"))
def test_the_sheet_speaks_of_an_environment_that_it_names(library: Library) -> None:
    assert main_plan(library) is not None


def test_nobody_is_left_out() -> None:
    published = {path.name.partition(".")[0] for path in results_file.files_below(REPORTS / results_file.FOLDER)}
    assert {library.name for library in EVERY} == published
