"""What the words of one GPU name can say, and which words stand near a card's name."""

from __future__ import annotations

from dataclasses import dataclass, field

from gpurent.hardware.name_tokens import Token

NEAR = (
    "vendor", "line", "noise", "form", "link", "memory", "memory-type", "suffix", "unit", "status",
    "gpu-memory", "total", "size",
)  # fmt: skip
SLICE_WORDS = ("times", "profile", "share", "shared", "vgpu")


@dataclass
class Said:
    """What the words of one name say. Empty or None: nothing."""

    families: list[str] = field(default_factory=list)
    key: str = ""  # the name as written, for the hints of a provider: "rtx-6000" while its line is not said
    spare: list[str] = field(default_factory=list)  # families that only count when the memory rules out the others
    forms: list[str] = field(default_factory=list)
    editions: list[str] = field(default_factory=list)
    memory_types: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    card_gib: float | None = None  # the size that belongs to the name
    part_gib: float | None = None  # a second, smaller size said to be the GPU's
    total_gib: float | None = None
    count: int | None = None
    share: str | None = None
    profile: str | None = None
    profile_gib: float | None = None
    parts: tuple[int, int] | None = None  # 1/6 of a card
    size_doubtful: bool = False  # a size at the name that a word of the host follows: "RTX 4090 48GB RAM"
    bare_sizes: set[int] = field(default_factory=set)  # places of numbers that are sizes without a unit
    machine: bool = False  # a DGX: the name is of a machine with several cards
    notes: list[str] = field(default_factory=list)

    def note(self, code: str) -> None:
        if code not in self.notes:
            self.notes.append(code)


def kind_at(tokens: tuple[Token, ...], place: int) -> str:
    return tokens[place].kind if 0 <= place < len(tokens) else "end"
