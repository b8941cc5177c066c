"""Who is asked, what each is called, and who is meant by what people type: drawn libraries, versions, environments and variants."""

import random
import re
from collections.abc import Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest

from rankproof.workers import known_libraries
from rankproof.workers.known_libraries import (
    Library,
    UnknownLibrary,
    chosen,
    claiming_nothing,
    libraries,
    library_named,
)
from rankproof.workers.selection import in_wanted_variants
from rankproof.workers.subjects import Installation, Subject, installation, keys_of, names_of, selected, variants_of

SEEDS = range(40)
WAYS = ("rows", "lists", "sets", "ada")


def drawn_installation(c: random.Random, library: str) -> Installation:
    """A library as it may describe itself."""
    ways = c.sample(WAYS, c.randint(1, 4))
    split = sorted(c.choices(range(len(ways) + 1), k=2))
    told, absent, others = ways[: split[0]] or ways[:1], ways[split[0] or 1 : split[1]], ways[max(split[1], 1) :]
    stands_on = c.sample([("numpy", "2.0"), ("base", c.choice("12")), ("aaa", "1")], c.randint(0, 3))
    return Installation(
        library,
        c.choice(["1.9", "1.10"]),
        c.choice(["3.9.1", "3.11.2"]),
        dict.fromkeys(told, "a way"),
        dict.fromkeys(absent, "no part"),
        tuple(one for one in others if one not in absent),
        dict(stands_on),
        untold=dict.fromkeys([*told, *absent], "ids"),
    )


def drawn_asked(c: random.Random) -> list[Installation]:
    """Some libraries, in one environment or in several, all of which differ."""
    found = [drawn_installation(c, name) for name in c.choices(["zeta", "ada", "mid"], k=c.randint(2, 6))]
    c.shuffle(found)
    found += [Installation("kim", not_installed="no module")] * (c.random() < 0.4)
    return list({(one.library, one.version, one.environment): one for one in found}.values())


@pytest.mark.parametrize("seed", SEEDS)
def test_each_subject_has_a_name_of_its_own(seed: int) -> None:
    asked = drawn_asked(random.Random(seed))  # noqa: S311 - an example
    subjects = [one for each in asked for one in each.subjects]
    for each in asked:
        ways = [*each.variants, *each.absent] if each.version else [""]
        alone = len({*each.variants, *each.absent, *each.others}) <= 1
        environment = (each.python, tuple(sorted(each.dependencies.items())))
        told = [(one.library, one.variant, one.version, one.alone) for one in each.subjects]
        assert told == [(each.library, way, each.version, alone) for way in ways]
        assert {(one.environment.python, one.environment.stands_on) for one in each.subjects} == {environment}
        for one in subjects:
            here = (one.version, one.environment) == (each.version, each.environment)
            assert each.has(one) == (one.library == each.library and (here or not one.version))
        assert each.has(Subject(each.library)), "what was not asked may be any"
        assert installation(each.library, each.as_json()) == each
    names = names_of(subjects)
    assert len({*names.values()}) == len(names) == len({*subjects})
    assert all(name.startswith(wanted_name(one)) for one, name in names.items())
    keys = keys_of(asked)
    for one, key in keys.items():
        signed = (wanted_name(one) + f"-{one.version}") if one.version else wanted_name(one)
        same = [other for other in keys if (wanted_name(other), other.version) == (wanted_name(one), one.version)]
        there = f"{signed} (Python {one.environment.python})" if len(same) > 1 else signed
        twins = [other for other in same if other.environment.python == one.environment.python]
        assert key == there + (f" ({twins.index(one) + 1})" if len(same) > 1 and twins.index(one) else "")
    for one, (library, called) in variants_of(subjects).items():
        whole = [other for other in subjects if other.library == one.library and other.variant == one.variant]
        assert library == one.library
        assert called.startswith(one.variant)
        assert (called == one.variant) == (len(set(whole)) == 1)
    assert len({*variants_of(subjects).values()}) == len({*subjects})


def wanted_name(one: Subject) -> str:
    return one.library if one.alone or not one.variant else f"{one.library}/{one.variant}"


GLOBS = ("rows", "l*", "*s", "ada", "nobody", "[rl]*")


@pytest.mark.parametrize("seed", SEEDS)
def test_only_the_variants_that_are_wanted_are_asked(seed: int) -> None:
    c = random.Random(seed)  # noqa: S311 - an example
    said = drawn_installation(c, "zeta").as_json() | {"others": [], "version": "7"}
    globs = c.sample(GLOBS, c.randint(0, 2))
    found = selected(said, globs)

    def kept(name: str) -> bool:
        return not globs or any(fnmatchcase(name, glob) for glob in globs)

    for table in ("variants", "absent", "untold"):
        assert found.get(table, {}) == {name: text for name, text in said.get(table, {}).items() if kept(name)}
    left = [name for table in ("variants", "absent") for name in said.get(table, {}) if not kept(name)]
    assert (found["others"], found["version"]) == (left, "7")


# -- who is meant -------------------------------------------------------------------------------------------------------

TYPED = (
    "zeta",
    "z*",
    "ada/rows",
    "*/lists",
    "ada",
    "ada/l*",
    "Zeta-Rank",
    "o_mid/rows",
    "sets",
    "lists",
    "rows",
    "kimono",
    "zeta/rows",
    "m*d/*s",
)
PACKAGES = {"zeta": "Zeta_Rank", "ada": "", "mid": "o.mid", "kim": "", "pyspark": ""}


def drawn_known(c: random.Random) -> list[Library]:
    found = []
    for name, package in PACKAGES.items():
        profiles: dict[str, Any] = {way: {} for way in c.sample(WAYS[:3], c.randint(1, 3))}
        sheet = replace(claiming_nothing(name, Path(f"{name}.toml")), package=package, profiles=profiles)
        found.append(Library(name, Path(), sheet, fault="it does not read" if c.random() < 0.15 else ""))
    c.shuffle(found)
    return found


def is_of(library: Library, glob: str) -> bool:
    return fnmatchcase(library.name, glob.partition("/")[0])


def meant(text: str, known: Sequence[Library]) -> str:
    """What is typed, as a glob of libraries that are known, with the variants of it."""
    name, slash, variant = text.partition("/")
    if any(is_of(library, text) for library in known):
        return text

    def registered(one: str) -> str:
        return re.sub("[-_.]+", "-", one).lower()

    for library in known:
        if registered(name) == registered(library.sheet.package or library.name):
            return library.name + slash + variant
    if name == "spark":
        return f"pyspark{slash}{variant}"
    having = [library.name for library in known if name in library.sheet.profiles]
    return f"{having[0]}/{name}" if len(having) == 1 and not slash else text


@pytest.mark.parametrize("seed", SEEDS)
def test_who_is_meant_by_what_people_type(seed: int) -> None:
    c = random.Random(seed)  # noqa: S311 - an example
    known = drawn_known(c)
    typed = tuple(c.sample([*TYPED, "spark", "spark/rows"], c.randint(1, 3)))
    globs = [meant(text, known) for text in typed]
    wanted: dict[str, Library] = {}
    for library in known:
        own = [glob for glob in globs if is_of(library, glob)]
        parts = tuple(glob.partition("/")[2] for glob in own)
        if own:
            exact = any(glob.partition("/")[0] == library.name for glob in own)
            in_parts = replace(library, only=parts, must=exact)
            wanted[library.name] = in_parts if all("/" in glob for glob in own) else library
    nobody = [glob for glob in globs if not any(is_of(library, glob) for library in known)]
    if nobody:
        with pytest.raises(UnknownLibrary, match=re.escape(nobody[0])):
            chosen(typed, known)
    else:
        assert chosen(typed, known) == [*wanted.values()]
    assert chosen((), known) == known
    first = [library for library in known if is_of(library, globs[0])][:1]
    if first and not first[0].fault:
        assert library_named(typed[0], known).name == first[0].name
    else:
        with pytest.raises(UnknownLibrary, match="does not read" if first else "is no library"):
            library_named(typed[0], known)


@pytest.mark.parametrize(
    ("library", "others"),
    {
        "haystack": "haystack-ai farm-haystack farm.haystack",
        "ir_evaluation": "ir-evaluation-py",
        "llama_index": "llama-index-core",
        "pyspark": "spark mllib RankingMetrics",
        "pytrec_eval": "pytrec-eval-terrier pytrec_eval",
        "replay": "replay-rec",
        "recommenders": "microsoft-recommenders reco_utils",
        "sklearn": "scikit-learn",
        "torchmetrics": "torch-metrics",
    }.items(),
)
def test_a_library_has_the_names_that_registries_and_people_have_for_it(library: str, others: str) -> None:
    assert {known_libraries.usual_name(f"{other}/v") for other in others.split()} == {f"{library}/v"}


def test_a_glob_of_libraries_leaves_out_those_that_have_no_such_variant() -> None:
    hello = {"version": "1", "variants": {"rows": ""}}
    (named,) = chosen(("catboost/default",), libraries())
    with pytest.raises(UnknownLibrary, match="catboost has no variant default; known are catboost/rows"):
        in_wanted_variants(named, hello)
    meant = {library.name: library for library in chosen(("*/default",), libraries())}
    assert in_wanted_variants(meant["catboost"], hello)["variants"] == {}
    with pytest.raises(UnknownLibrary, match=r"irmeasures/ranx is no library; did you mean ir_measures\?"):
        chosen(("irmeasures/ranx",), libraries())
