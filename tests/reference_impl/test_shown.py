"""Text of any length is shortened for messages, and unknown names get the nearest known name."""

from rankproof.reference_impl.shown import LONGEST, did_you_mean, first_of, shortened


def test_text_is_cut_only_if_it_is_longer_than_there_is_room() -> None:
    assert shortened("d" * LONGEST) == "d" * LONGEST
    assert shortened("d" * (LONGEST + 1)) == f"{'d' * LONGEST}… (81 characters)"
    assert shortened(1.5, 2) == "1.… (3 characters)"


def test_the_nearest_name_is_suggested_or_all_names_are_listed() -> None:
    assert did_you_mean("STANDART", ["standard", "Standard"], []) == "did you mean standard?"
    assert did_you_mean("xyz", ["standard", "other"], ["standard"]) == "choose from standard"
    listed = did_you_mean("xyz", [], [f"name{i:02}" for i in range(50)], "rankproof names")
    assert listed.endswith(", name14 and 35 more (`rankproof names`)")
    assert first_of([]) == ""
