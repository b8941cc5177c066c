"""What was measured by columns was measured again, in part, by the readable path: of which queries, and whether both said the same."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ColumnCheck:
    """A check of one run.

    Attributes:
        queries: those that were measured again, from the input as it was given.
        difference: where the two differed; nothing where they did not. Then all was measured by the readable path.
    """

    queries: tuple[str, ...]
    difference: str = ""

    @property
    def text(self) -> str:
        """What a person should know, if the two differed."""
        return (
            f"a fault of rankproof was found while it measured: {self.difference}. All was measured again by the slow path, whose numbers "
            "these are; please report this line, and the qrels and the run if you can"
        )

    def as_json(self) -> dict[str, object]:
        """The same for programs."""
        return {"queries": list(self.queries), "difference": self.difference}
