"""Rules of the corpus, each with a case that breaks only this rule."""

import re
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest
from reference_values import PlainReference

from rankproof import cases as corpus
from rankproof.cases.arithmetic import evaluate
from rankproof.inference.reference_answers import CannotTell, Refused, Values
from rankproof.judge.corpus_rules import CLOSE, in_words, lint, meets
from rankproof.reference_impl.notation import parse

SOUND = {
    "question": '"two docs are retrieved"',
    "why": '"it happens in real runs"',
    "source": '"own"',
    "tags": '["ties"]',
    "qrels": '"q1 a 1"',
    "run": '"""\nq1 a 1\nq1 b 1\n"""',
}
EXPECT = '[expect.RR]\nstandard = "1/2"\n"ties=docid-asc" = "1"\n'


def written(folder: Path, name: str = "topic/slug", expect: str = EXPECT, **changed: str) -> Path:
    path = folder / f"{name}.toml"
    path.parent.mkdir(exist_ok=True)
    head = "".join(f"{key} = {value}\n" for key, value in (SOUND | changed).items())
    path.write_text(head + expect, encoding="utf-8")
    return path


def faults(path: Path) -> list[str]:
    """Return the faults of one case, without file and line."""
    return [re.sub(rf"^{re.escape(str(path))}:\d+: ", "", fault) for fault in lint([path]).faults]


def test_rank_of_a_row_may_be_0(tmp_path: Path) -> None:
    for ranks, read in ((("1", "0", "2"), (1, 0, 2)), (("", "", ""), (1, 2, 3))):
        rows = "".join(f"q1 {doc} 1 {rank}\n" for doc, rank in zip("abc", ranks, strict=True))
        case = corpus.load(written(tmp_path, run=f'"""\n{rows}"""'))
        assert tuple(rank for *_, rank in case.input.run) == read


def test_arithmetic_may_have_signs() -> None:
    assert (evaluate("+3 - -2"), evaluate("-(+1/4)")) == (5, Decimal("-0.25"))


def test_case_that_follows_the_rules_has_no_fault(tmp_path: Path) -> None:
    found = lint([written(tmp_path)])
    assert (found.cases, found.expectations, found.faults) == (1, 4, ()), "of the query and of the mean"


NOTHING = ["the case tests no difference: expect two values under two conventions, or list a wrong variant under kills"]
INDICATIVE = ["the question must state a fact: write what is, not what should be"]


@pytest.mark.parametrize(
    ("expect", "changed", "fault"),
    [
        (
            '[expect.RR]\nstandard = "1/2"\n"ties=docid-asc" = "1/2"\n',
            {"kills": '["x"]'},
            [
                "RR: [ties=docid-asc] q1: the case expects 1/2, but the reference is 1",
                "RR: [ties=docid-asc] mean: the case expects 1/2, but the reference is 1",
            ],
        ),
        ('[expect.RR]\nstandard = "1/2"\n', {}, NOTHING),
        ('[expect.RR]\nstandard = "1/2"\n', {"kills": '["sorts_ascending"]'}, []),
        ('[expect.RR]\nstandard = "0.5"\n"ties=input" = "1"\n', {}, []),
        (
            '[expect."P@2"]\nstandard = "0.5"\n[expect."P@1"]\nstandard = "0"\n[expect."P@4"]\n"ties=input" = "1/4"\n',
            {},
            NOTHING,
        ),
        ('[expect.RR]\nstandard = "0.5"\n"ties=input-reversed" = "1/2"\n', {}, NOTHING),
        (
            '[expect.RR]\nstandard = "1/2 + 1/10**44"\n"ties=docid-asc" = "1"\n',
            {},
            ["RR: [standard] q1: the case expects 1/2 + 1/10**44, but the reference is 0.5", "RR: [standard] mean: "],
        ),
        (
            '[expect."P@3"]\nstandard = { mean = "1/4" }\n"ties=docid-asc" = "1/3"\n',
            {},
            ["P@3: [standard] mean: the case expects 1/4, but the reference is 0.33333333333333331"],
        ),
        (
            '[expect.RR]\nstandard = { q1 = "1/2", mean = "1/2" }\n"ties=input-reversed" = { mean = "1/2", q1 = "1/2" }\n',
            {},
            NOTHING,
        ),
        ('[expect."NDCG@1"]\nstandard = "0"\n"ties=docid-asc" = "1"\n', {}, ["NDCG@1: write it as nDCG@1"]),
        ('[expect.RR]\nstandard = "1/2"\n"ties=docid-ascending" = "1"\n', {}, ["RR: [ties=docid-ascending]: "]),
        ('[expect.RR]\nstandard = "half"\n"ties=docid-asc" = "1"\n', {}, ["RR: [standard]: "]),
        (
            '[expect."nDCG"]\nstandard = "1/log2(3)"\n"mean=pooled" = "1"\n',
            {},
            ["nDCG: [mean=pooled]: nDCG is not a ratio of counts, so it has no pooled mean"],
        ),
        ('[expect.RRR]\nstandard = "1/2"\n"ties=docid-asc" = "1"\n', {}, ["RRR: Unknown measure"]),
        ('[expect.V]\nstandard = "1/2"\n"degenerate=0" = "1"\n', {}, ["V: the measure needs two labelings"]),
        (EXPECT, {"question": '"the tied doc should be second"'}, INDICATIVE),
        (EXPECT, {"question": '"a tied doc Must be second"'}, INDICATIVE),
        (EXPECT, {"question": '"a shoulder of mustard is second"'}, []),
    ],
)
def test_case_that_breaks_a_rule_has_its_fault_only(
    expect: str, changed: dict[str, str], fault: list[str], tmp_path: Path
) -> None:
    found = faults(written(tmp_path, expect=expect, **changed))
    texts, wanted = ([text.replace(":", "") for text in some] for some in (found, fault))
    assert [text[: len(start)] for text, start in zip(texts, wanted, strict=True)] == wanted


BAD_IDS = ("topic/sl_ug", "topic/-slug", "topic/slug-", "topic/sl--ug", "Topic/slug")


@pytest.mark.parametrize("name", BAD_IDS)
def test_id_has_lower_case_letters_digits_and_single_hyphens(name: str, tmp_path: Path) -> None:
    said = f"invalid id {name}: write topic/slug in lower-case letters, digits and hyphens"
    assert faults(written(tmp_path, name)) == [said]


def test_case_without_a_right_value_does_not_have_to_decide_an_axis(tmp_path: Path) -> None:
    changed = {"tags": '["undefined"]', "measures": '["RR"]', "run": '"q1 a nan"'}
    assert faults(written(tmp_path, expect="", **changed)) == []


def test_cases_with_one_question_are_a_fault(tmp_path: Path) -> None:
    one, two = written(tmp_path), written(tmp_path, "topic/other")
    unreadable = tmp_path / "topic" / "none.toml"
    unreadable.write_text("question = \n")
    found = lint([one, unreadable, two])
    assert (found.cases, found.expectations) == (2, 8)
    bad, same = found.faults
    assert bad.startswith(f"{unreadable}:")
    assert same == f"{two}:1: topic/slug has the same question"


def test_fault_has_its_line_and_is_short(tmp_path: Path) -> None:
    expect = f'[expect.RR]\nstandard = "1/2"\n"ties=docid-asc" = "1/3"\n"ties={"x" * 500}" = "1"\n'
    path = written(tmp_path, expect=expect)
    lines = {f"{path}:{n}": line for n, line in enumerate(path.read_text().splitlines(), start=1)}
    found = [fault.partition(": ") for fault in lint([path]).faults]
    keys = [lines[where].partition(" ")[0] for where, _, _ in found]
    assert keys == ['"ties=docid-asc"', '"ties=docid-asc"', f'"ties={"x" * 500}"']
    assert all(len(what) < 500 for _, _, what in found)


def test_measure_of_rankings_is_a_fault_in_a_case_of_labels(tmp_path: Path) -> None:
    path = tmp_path / "labels" / "two.toml"
    path.parent.mkdir()
    head = "".join(f"{key} = {SOUND[key]}\n" for key in ("question", "why", "source"))
    path.write_text(
        head + 'tags = ["labels"]\ntrue = [0, 0, 1]\npredicted = [0, 1, 1]\nkills = ["x"]\n'
        '[expect.RR]\nstandard = "1"\n[expect.Rand]\nstandard = "1/3"\n'
    )
    assert faults(path) == ["RR: the measure needs qrels and a run"]


# -- reference values against expected values --------------------------------------------------------------------------


def test_number_is_compared_to_45_digits(tmp_path: Path) -> None:
    oracle = PlainReference(corpus.load(written(tmp_path)).input)
    answers = oracle.answers(parse("RR"), "standard")
    assert meets(answers, "mean", "1/2")
    assert meets(answers, "q1", "1/2 + 1/10**46")
    assert not meets(answers, "q1", "1/2 + 1/10**44")
    assert not meets(answers, "q1", "-1/2")
    assert [meets(answers, "q1", said) for said in ("nan", "absent", "rejected")] == [False] * 3
    assert [meets(answers, "q2", said) for said in ("0", "nan", "absent", "rejected")] == [False, False, True, False]
    assert float(CLOSE) == 1e-45
    of_few = Values({"q1": Fraction(1, 1000)}, Fraction(1, 1000))
    assert not meets(of_few, "q1", "1/1000 + 1/10**46"), "45 digits of the number, not behind the point"


def test_refusal_and_missing_reference_are_not_compared_with_numbers(tmp_path: Path) -> None:
    oracle = PlainReference(corpus.load(written(tmp_path)).input)
    refused = Refused("ids", "no")
    assert [meets(refused, "q1", said) for said in ("rejected", "nan", "absent", "0")] == [True, False, False, False]
    untold = oracle.answers(parse("nDCG"), "mean=pooled")
    assert isinstance(untold, CannotTell)
    assert not any(meets(untold, "mean", said) for said in ("rejected", "nan", "absent", "0"))
    assert (in_words(refused, "q1"), in_words(untold, "q1").partition(":")[0]) == (
        "rejects the input: no",
        "has no value",
    )


def test_faults_after_a_value_without_reference_are_reported(tmp_path: Path) -> None:
    """Twelve tied documents with as many grades have 12! orders, about 479 million."""
    docs = "abcdefghijkl"
    qrels = "".join(f"q1 {doc} {rel}\n" for rel, doc in enumerate(docs))
    run = "".join(f"q1 {doc} 1\n" for doc in docs)
    path = written(
        tmp_path,
        expect='[expect.ERR]\n"ties=expectation" = "1/2"\n"ties=docid-ascending" = "1"\n',
        qrels=f'"""\n{qrels}"""',
        run=f'"""\n{run}"""',
    )
    first, second = faults(path)
    assert first.startswith("ERR: [ties=expectation]: ")
    assert second.startswith("ERR: [ties=docid-ascending]: ")


def test_an_undefined_value_is_nan(tmp_path: Path) -> None:
    path = written(tmp_path, qrels='"q1 a 0"', kills='["x"]', expect='[expect.RR]\n"norel=nan" = "nan"\n')
    answers = PlainReference(corpus.load(path).input).answers(parse("RR"), "norel=nan")
    assert [meets(answers, "q1", said) for said in ("nan", "0", "absent", "rejected")] == [True, False, False, False]
    assert (in_words(answers, "q1"), in_words(answers, "q2")) == ("is nan", "is absent")
    assert faults(path) == []
