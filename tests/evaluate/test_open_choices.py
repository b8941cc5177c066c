"""What nothing decided of a library is told beside the numbers where it can move them, with what they would be; and nowhere else."""

import json
import math
from collections import ChainMap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import published_run
import pytest
from click.testing import CliRunner
from reference_values import PlainReference

import rankproof
from rankproof.cases.inputs import Input
from rankproof.cli.evaluate import command
from rankproof.evaluate import facts as facts_of_rows
from rankproof.evaluate import measuring as quick
from rankproof.evaluate.cautions import Caution
from rankproof.evaluate.library_profiles import profile_named
from rankproof.inference.deciding_axes import possible, values_of
from rankproof.inference.fingerprint_file import Fingerprint
from rankproof.inference.reference_answers import Answers, Refused, Values
from rankproof.inference.signatures import parse
from rankproof.measure_forms import cut_at, measure_of
from rankproof.reference_impl.exact import to_float

PLAIN_QRELS = {"1": {"a": 1, "b": 0, "c": 1}, "2": {"a": 0, "b": 1, "c": 1}, "3": {"a": 1, "b": 1, "c": 0}}
PLAIN_RUN = {query: {"a": 3.0, "b": 2.0, "c": 1.0} for query in PLAIN_QRELS}
"""Everything is judged and retrieved, and there is a hit in each query: only what the formula is can be seen."""
ODD_QRELS = {
    "1": {"a": 1, "b": 0, "c": 2, "e": -1},
    "2": {"a": 1, "b": 3},
    "3": {"a": 0, "b": 0},
    "4": {"d": 1},
    "6": {"a": 1},
}
ODD_RUN = {
    "1": {"a": 3.0, "e": 3.0, "b": 2.0, "d": -1.0},
    "2": {"b": 3.0, "a": 1.0},
    "3": {"c": 2.0, "a": 1.0},
    "4": {"x": 2.5, "y": 2.5},
    "5": {"x": 2.0},
}
MISSED_QRELS = {"1": {"a": 2, "b": 1, "c": 0, "d": 3}, "2": {"a": 1, "b": 0}, "3": {"a": 1}}
MISSED_RUN = {"1": {"b": 2.0, "c": 1.0, "e": 0.5}, "2": {"b": 2.0, "a": 1.0}, "3": {"b": 2.0}}


def told(measures: Any, qrels: Any, run: Any, **options: Any) -> list[Caution]:
    return [one for one in rankproof.evaluate(measures, qrels, run, **options).warnings if one.kind == "undetermined"]


# -- by arithmetic -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("small", [2**14, 0])
def test_nothing_is_said_where_it_cannot_matter(small: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quick, "SMALL_ROWS", small)
    still = "P@2|missing:?|norel:?|empty:?|nohit:?|negative:?|qrels_duplicates:?|ties:?input/unspecified|score:?|ids:?|no_query:?"
    assert not told([], PLAIN_QRELS, PLAIN_RUN, signature=still)


@pytest.mark.parametrize(("small", "rows_again"), [(2**14, 250_000), (0, 250_000), (2**14, 1)])
def test_what_a_mean_over_no_query_is_is_told_only_where_it_is_over_none(
    small: int, rows_again: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quick, "SMALL_ROWS", small)
    monkeypatch.setattr(facts_of_rows, "_ROWS_AGAIN", rows_again)
    qrels, still = {"1": {"a": 0}, "2": {"a": 0, "b": 0}, "3": {"b": 0}}, "P@2|norel:dropped|no_query:?"
    (none,) = told([], qrels, PLAIN_RUN, signature=still)
    could_be = "no_query=0 (P@2 0.0000)" if rows_again > 1 else "no_query=0 (not measured)"
    matters = "no_query is undetermined and can change values"
    assert none.text == f"{matters}: no_query=nan was taken, P@2 is nan; it could be {could_be}"
    for relevant in qrels:
        assert not told([], {**qrels, relevant: {"a": 1}}, PLAIN_RUN, signature=still), relevant


BOTH = ["gain_threshold=applied relevant=at-least", "relevant=at-least gain_threshold=applied"]


@pytest.mark.parametrize(
    ("still", "changes"),
    [
        ("relevant:?above-zero/at-least|gain_threshold:?applied/ignored", ["relevant=at-least"]),
        ("relevant:?above-zero/at-least|gain_threshold:?ignored/applied", BOTH),
        ("relevant:?above-zero/at-least/above-half|gain_threshold:?ignored/applied", BOTH),
        ("relevant:?above-zero/at-least|gain_threshold:ignored", []),
        ("gain_threshold:?ignored/applied", []),
    ],
)
def test_a_value_that_matters_beside_another_one_alone_is_told_with_it(still: str, changes: list[str]) -> None:
    """Both docs have a gain; a threshold takes none away, unless it is applied and is 1."""
    whole, without = pytest.approx(0.5 + 1 / math.log2(3)), pytest.approx(1 / math.log2(3))
    relevant = "" if "relevant" in still else "|relevant:above-zero"
    found = told([], {"1": {"a": 0.5, "b": 1}}, {"1": {"a": 2.0, "b": 1.0}}, signature=f"DCG@2|{still}{relevant}")
    told_of = sorted((dict(one.values) for one in found), key=lambda values: max(values, key=len))
    assert told_of == [{"DCG@2": whole, f"DCG@2 {change}": without} for change in changes]


def test_where_it_would_take_too_long_it_counts_as_mattering(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(facts_of_rows, "_ROWS_AGAIN", 1)
    (only,) = told([], PLAIN_QRELS, PLAIN_RUN, signature="P@2|missing:?0/nan")
    assert only.text.endswith("it could be missing=nan (not measured)")
    assert dict(only.values) == rankproof.evaluate("P@2", PLAIN_QRELS, PLAIN_RUN).mean
    assert not told([], PLAIN_QRELS, PLAIN_RUN, signature="P@2|missing:nan")


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    (tmp_path / "qrels").write_text("q1 0 a 1\nq1 0 b 2\nq2 0 a 1\n")
    (tmp_path / "run").write_text("q1 Q0 a 1 2.0 t\nq1 Q0 b 2 1.0 t\n")
    return [str(tmp_path / "qrels"), str(tmp_path / "run")]


def test_the_command_says_it_before_the_number(files: list[str]) -> None:
    said = CliRunner().invoke(command, [*files, "--signature", "P@1|missing:?dropped/0|empty:?"])
    assert said.output.index("warning: missing is undetermined and can change values") < said.output.index("measure")
    assert "empty" not in said.output


def test_what_a_signature_says_is_measured_and_no_default_beside_it(files: list[str]) -> None:
    signature = "P@1|rankproof:0"
    for asked, measures in (
        (["--signature", signature], ["P@1"]),
        (["--signature", signature, "-m", "RR"], ["RR", "P@1"]),
        ([], ["nDCG@10", "AP", "RR", "P@10", "R@100"]),
    ):
        told = json.loads(CliRunner().invoke(command, [*files, *asked, "--format", "json"]).stdout)
        assert [*told["measures"]] == measures


# -- of the libraries --------------------------------------------------------------------------------------------------


def of_forms() -> Iterator[Fingerprint]:
    """Of each library, in each way of asking it, some forms of which something is open."""
    by_subject: dict[str, list[Fingerprint]] = {}
    for one in published_run.fingerprints():
        if not measure_of(one.key).of_labels and set(parse(one.signature).open) - {"ids"}:
            by_subject.setdefault(one.subject.signed, []).append(one)
    for forms in by_subject.values():
        yield from forms[:: max(1, len(forms) // 2)]


def test_published_profiles_say_what_the_reference_says_of_each_other_value() -> None:
    """Each axis that the reference alone moves is told with its number, and each that is told is moved."""
    seen: set[tuple[str, str, bool]] = set()
    for one in of_forms():
        asked = measure_of(one.key)
        measure = cut_at(asked, 2) if "@k" in one.key else asked
        for qrels, run in ((PLAIN_QRELS, PLAIN_RUN), (ODD_QRELS, ODD_RUN), (MISSED_QRELS, MISSED_RUN)):
            try:
                result = rankproof.evaluate([measure], qrels, run, profile=one.subject.signed)
            except ValueError:
                continue  # what the library refuses has no number
            (name,) = result.mean
            warned = [w for w in result.warnings if w.kind == "undetermined"]
            numbers, texts = ChainMap(*(dict(w.values) for w in warned)), " ".join(w.text for w in warned)
            oracle, taken = PlainReference(_input(qrels, run)), profile_named(one.subject.signed).conventions(measure)
            base = oracle.answers(measure, taken)
            for axis, values in parse(one.signature).open.items():
                others = [v for v in values or values_of(axis) if possible(measure, axis, v)]
                moved = False
                for value in others if axis != "ids" else ():
                    if value in {getattr(taken, axis), "unspecified"}:
                        continue
                    found = oracle.answers(measure, taken.replace(**{axis: value}))
                    if isinstance(found, Values | Refused) and not is_as(found, base):
                        moved = True
                        assert f"{axis}={value}" in texts, (one.signature, axis, value)
                        if isinstance(found, Values) and math.isfinite(mean := to_float(found.mean)):
                            assert numbers[f"{name} {axis}={value}"] == pytest.approx(mean), (one.signature, value)
                told_of = f"{axis} is undetermined and can change values" in texts
                assert told_of >= moved
                pair_or_order = f"could be {axis}=" in texts and ("=unspecified" in texts or " missing=" in texts)
                assert told_of == moved or pair_or_order, (one.signature, axis, texts)
                seen.add((one.library, axis, told_of))
    for side in (True, False):
        libraries, axes = ({seen_[i] for seen_ in seen if seen_[2] is side} for i in (0, 1))
        assert min(len(libraries), len(axes)) >= 3, (side, libraries, axes)


def is_as(found: Answers, base: Answers) -> bool:
    """Whether they are one, but for the last of many digits: the geometric mean of three times 2/3 is a root of a fraction."""
    if not (isinstance(found, Values) and isinstance(base, Values)) or None in {found.mean, base.mean}:
        return found == base
    return found.per_query == base.per_query and to_float(found.mean) == pytest.approx(to_float(base.mean), rel=1e-12)


IDEAL = 2**33 - 1 + 1 / math.log2(3)
"""Of a gain of 2^33 - 1 the tied docs that gain 1 and nothing are a small part."""


@pytest.mark.parametrize("small", [2**14, 0])
@pytest.mark.parametrize(
    ("qrels", "run", "signature", "said"),
    [
        # Query 3 retrieves one doc, so that `single` alone refuses it, whatever `extra` is; the judged queries are those of the run.
        (
            MISSED_QRELS,
            MISSED_RUN,
            "P@2|norel:dropped|extra:?ignored/measured|single:?measured/rejected",
            "taken as single=measured, P@2 is 0.3333; it could be single=rejected (refused)",
        ),
        # Query 2 is not in the run, and none is there with an empty list: whatever `empty` is, it is dropped by `missing` alone.
        (
            {"1": {"a": 1}, "2": {"a": 1}, "3": {"b": 1}},
            {"3": {"a": 1.0}, "1": {"a": 2.0}},
            "P@1|missing:?0/dropped|empty:?0/missing",
            "taken as missing=0, P@1 is 0.3333; it could be missing=dropped (P@1 0.5000)",
        ),
        (
            {"1": {"a": 2, "b": 0}},
            {"1": {"a": 2.0, "b": 1.0}},
            "P@1|grades:?any/binary/truncated",
            "taken as grades=any, P@1 is 1.0000; it could be grades=binary (refused)",
        ),
        (
            {"q": {"a": 33, "b": 1, "c": 0}},
            {"q": {"a": 9.0, "b": 1.0, "c": 1.0}},
            "nDCG@3|gain:exp|ties:?input/input-reversed",
            f"taken as ties=input, nDCG@3 is 1.0000; it could be ties=input-reversed (nDCG@3 {(2**33 - 1 + 1 / 2) / IDEAL:.11f})",
        ),
    ],
    ids=["refused by another axis", "dropped by another axis", "a row is refused", "the eleventh digit"],
)
def test_of_an_axis_it_is_told_what_it_does_alone_and_by_as_many_digits_as_that_needs(
    qrels: Any, run: Any, signature: str, said: str, small: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quick, "SMALL_ROWS", small)
    axis = said.removeprefix("taken as ").partition("=")[0]
    found = [one.text for one in told([], qrels, run, signature=signature)]
    taken, rest = said.removeprefix("taken as ").split(", ", 1)
    assert found == [f"{axis} is undetermined and can change values: {taken} was taken, {rest}"]


def _input(qrels: Any, run: Any) -> Input:
    judged, scored = ([(q, d, v) for q, docs in side.items() for d, v in docs.items()] for side in (qrels, run))
    return Input(tuple(judged), tuple((*row, rank) for rank, row in enumerate(scored, start=1)))
