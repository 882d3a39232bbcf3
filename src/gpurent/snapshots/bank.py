"""The currency rates of the night: asked of the European Central Bank's csv interface like any provider."""

from __future__ import annotations

from datetime import date

from gpurent import fx
from gpurent.adapters.contract import AdapterMeta, Client, Raw, ShapeChanged
from gpurent.fx import EcbDay

NAME = "ecb"  # its place among the adapters
_HOST = "data-api.ecb.europa.eu"


class Bank:
    """The part of an adapter that `fetch_all` needs; its answer holds rates, not offers."""

    META = AdapterMeta(
        name=NAME,
        title="European Central Bank",
        covers="euro reference rates of the last working day",
        hosts=(_HOST,),
        deadline_s=30.0,
        card_pages="https://data.ecb.europa.eu/help/api/data, read 2026-11-30",
    )

    def fetch(self, client: Client) -> Raw:
        """One request: the last observation of every currency the table holds."""
        currencies = "+".join(currency for currency in fx.embedded().currencies if currency != fx.EUR)
        answer = client.get(
            f"https://{_HOST}/service/data/EXR/D.{currencies}.EUR.SP00.A",
            params={"format": "csvdata", "lastNObservations": "1"},
        )
        return Raw(NAME, (client.part("rates", answer),), True)

    def parse(self, raw: Raw) -> None:
        """No offers; `published` reads the rates."""
        del raw


def published(raw: Raw, today: date) -> tuple[EcbDay, ...]:
    """The rates of an answer.

    Raises:
        ShapeChanged: no rate in it that can be believed.
    """
    if not raw.parts:
        raise ShapeChanged("rates", "no part")
    try:
        return fx.read_answer(raw.parts[0].body.decode("utf-8", "replace"), today)
    except fx.UnreadableRatesError as error:
        raise ShapeChanged("rates", str(error)) from None
