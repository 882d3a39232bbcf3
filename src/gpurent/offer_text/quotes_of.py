"""One paste, several quotes: where one ends and the next begins."""

from __future__ import annotations

import re

from gpurent.offer_text.cards import has_card, is_card
from gpurent.offer_text.objects import objects
from gpurent.offer_text.pasted import is_pasted
from gpurent.offer_text.rows import heads
from gpurent.offer_text.tidy import MAX_QUOTES
from gpurent.price_text import find_prices

_BLANK = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")


def split(text: str) -> tuple[list[str], int]:
    """The quotes of a tidied paste, and how many were left out because there are too many.

    Blank lines part quotes. A piece that names no card belongs to the one before it (the first: to the one after);
    what a machine printed belongs to the quote it stands under. Lines that each name a card and a price are quotes of
    their own, and so are the rows of a known table.
    """
    found = objects(text)
    if found:
        return found[:MAX_QUOTES], max(0, len(found) - MAX_QUOTES)
    pieces = [piece for piece in _BLANK.split(text) if piece.strip()]
    quotes: list[str] = []
    waiting = ""
    for piece in pieces[: 4 * MAX_QUOTES]:
        rows = _rows(piece)
        if rows:
            quotes.extend(rows)
            continue
        pasted = is_pasted(piece)
        own = has_card(piece) and not (
            pasted and quotes and not is_pasted(quotes[-1]) and _smi(piece) not in quotes[-1]
        )
        if own:
            quotes.append(f"{waiting}\n{piece}" if waiting else piece)
            waiting = ""
        elif quotes:
            quotes[-1] += "\n" + piece
        else:
            waiting = f"{waiting}\n{piece}" if waiting else piece
    if waiting:
        quotes.append(waiting)
    kept = quotes[:MAX_QUOTES]
    return kept, len(quotes) - len(kept) + max(0, len(pieces) - 4 * MAX_QUOTES)


def _smi(piece: str) -> str:
    match = re.search(r"NVIDIA-SMI|GPU \d{1,2}:", piece)
    return match.group() if match else "\x00"


def _rows(piece: str) -> list[str]:
    lines = [line for line in piece.split("\n") if line.strip()][: 4 * MAX_QUOTES]
    found = heads(piece)
    if found:
        head = found[0].group()
        return [f"{head}\n{line}" for line in lines if line.strip() != head.strip() and re.search(r"\d", line)]
    if len(lines) == 1:
        return _parts(lines[0])
    if len(lines) < 2:
        return []
    lines = [line for line in lines if not re.fullmatch(r"[\s|:+=-]*", line)]
    if not re.search(r"\d", lines[0]) and all(has_card(line) for line in lines[1:]):
        return [_labelled(lines[0], line) for line in lines[1:]]
    if all(has_card(line) and find_prices(line) for line in lines):
        return lines
    return []


def _parts(line: str) -> list[str]:
    """Several quotes of one line ("4090 1.8元/时, 3090 1.2元/时"): each part names a card and a price of its own."""
    for mark in (";", "|", ", ", " / "):
        pieces = line.split(mark)
        if not 1 < len(pieces) <= 4 * MAX_QUOTES:
            continue
        parts: list[str] = []
        named = priced = False  # what the part so far has
        for piece in pieces:
            card, price = is_card(piece), bool(find_prices(piece))
            if not parts or (named and priced and card):
                parts.append(piece)
                named, priced = card, price
            else:
                parts[-1] += mark + piece
                named, priced = named or card, priced or price
        if len(parts) > 1 and all(is_card(part) and find_prices(part) for part in parts):
            return [part.strip() for part in parts]
    return []


_CELL = re.compile(r"\s*\|\s*|  +")
_CELL_UNIT = re.compile(r"\b(gib|gb|tb|mb/s|gbps|mbps)\b", re.IGNORECASE)


def _labelled(head: str, line: str) -> str:
    """A table's row with its column's name before every cell, where the cells are as many as the names."""
    names = [name for name in _CELL.split(head.strip(" |")) if name]
    cells = [cell for cell in _CELL.split(line.strip(" |")) if cell]
    if len(names) != len(cells) or len(names) < 2:
        return line
    parts = []
    for name, cell in zip(names, cells, strict=True):
        unit = _CELL_UNIT.search(name)
        plain = re.fullmatch(r"[\d.,]+", cell)
        parts.append(f"{name}: {cell} {unit.group()}" if unit and plain else f"{name}: {cell}")
    return " | ".join(parts)
