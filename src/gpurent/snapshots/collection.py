"""What one collection is while it walks from an adapter into the history."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal, NamedTuple

from gpurent.offer import Offer, Reject
from gpurent.snapshots.stored_offer import canonical

Status = Literal["kept", "refused", "failed"]


class Remark(NamedTuple):
    """One thing worth knowing about a collection: a rule of the gate that tripped, a note, a failure."""

    rule: str  # message code inside area `gate`
    subject: str = ""  # a card, an offer, a currency, a reason
    before: str = ""
    now: str = ""


def pack(remarks: Iterable[Remark]) -> str:
    """Remarks as the history keeps them."""
    return canonical([list(remark) for remark in remarks])


def unpack(text: str) -> tuple[Remark, ...]:
    """Remarks as they were packed."""
    return tuple(Remark(*map(str, entry)) for entry in json.loads(text))


@dataclass(frozen=True)
class Answer:
    """One adapter's answer, parsed: what the gate judges and the history keeps."""

    provider: str  # name of the adapter
    started: datetime
    ended: datetime
    observed_from: datetime
    observed_to: datetime
    complete: bool | None
    offers: tuple[Offer, ...]
    rejects: tuple[Reject, ...] = ()  # faults of rows and fields
    out_of_scope: int = 0
    troubles: tuple[str, ...] = ()
    capture: str | None = None
    capture_sha: str | None = None


@dataclass(frozen=True)
class Verdict:
    """What the gate says of an answer."""

    refused: tuple[Remark, ...] = ()  # why the answer as a whole is kept aside
    notes: tuple[Remark, ...] = ()
    believed: tuple[Offer, ...] = ()
    held: tuple[tuple[Offer, Remark], ...] = ()  # single offers that are not believed yet


@dataclass(frozen=True)
class Ended:
    """How one collection ended, for the log line and the summary."""

    provider: str
    status: Status
    seq: int | None
    complete: bool | None = None
    offers: int = 0
    rejects: int = 0
    out_of_scope: int = 0
    held: int = 0
    new: int = 0
    changed: int = 0  # another price, stock or machine
    gone: int = 0
    seconds: float = 0.0
    remarks: tuple[Remark, ...] = ()

    def as_row(self) -> Mapping[str, Any]:
        """The keys of the JSON summary."""
        return {**self.__dict__, "remarks": [remark._asdict() for remark in self.remarks]}


def without_doubles(answer: Answer) -> Answer:
    """One offer an id: an exact double goes silently, another offer of the same id is rejected, the first one stays."""
    kept: dict[str, Offer] = {}
    rejects = list(answer.rejects)
    for offer in answer.offers:
        first = kept.setdefault(offer.offer_id, offer)
        if first is not offer and first != offer:
            name = offer.listing or offer.sku or offer.gpu
            rejects.append(Reject("", f"{offer.provider} {name}", offer.offer_id, "a second offer of the same id"))
    return replace(answer, offers=tuple(kept.values()), rejects=tuple(rejects))
