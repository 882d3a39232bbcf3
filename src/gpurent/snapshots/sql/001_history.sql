-- Price history: a collection is one adapter's answer at one time; a span is one price of one offer from the first
-- collection that showed it to the last. Times are UTC text; prices are text, so that no digit is lost.

CREATE TABLE run (
    id INTEGER PRIMARY KEY,
    started TEXT NOT NULL,
    ended TEXT,                     -- NULL: still running, or interrupted
    how TEXT NOT NULL CHECK (how IN ('live', 'replay', 'accept')),
    version TEXT NOT NULL
) STRICT;

CREATE TABLE collection (
    seq INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES run,
    provider TEXT NOT NULL,         -- name of the adapter that asked
    status TEXT NOT NULL CHECK (status IN ('kept', 'refused', 'failed')),
    started TEXT NOT NULL,
    ended TEXT NOT NULL,
    observed_at TEXT NOT NULL,      -- when the answer was given
    complete INTEGER CHECK (complete IN (0, 1)), -- NULL: the source does not let us know
    offers INTEGER NOT NULL,        -- seen and believed
    held INTEGER NOT NULL,          -- seen and not believed
    rejects INTEGER NOT NULL,       -- rows and fields that could not be read
    out_of_scope INTEGER NOT NULL,
    opened INTEGER NOT NULL,        -- spans that begin here
    closed INTEGER NOT NULL,        -- spans that end here
    open_after INTEGER NOT NULL,    -- open spans of this adapter afterwards
    capture TEXT,                   -- the kept answer: its manifest inside the captures folder
    capture_sha TEXT,               -- sha256 of that manifest, which names the bodies by theirs
    remarks TEXT NOT NULL,          -- JSON list: what the gate said, why it failed
    state TEXT NOT NULL,            -- sha256 over the adapter's open spans afterwards
    previous TEXT NOT NULL,         -- digest of the collection before
    digest TEXT NOT NULL            -- sha256 over `previous`, this row and every row that names it
) STRICT;
CREATE INDEX collection_provider ON collection (provider, seq);

CREATE TABLE offer (
    id INTEGER PRIMARY KEY,
    collected_by TEXT NOT NULL,     -- name of the adapter; `provider` is who rents it out
    key TEXT NOT NULL,              -- offer_id
    provider TEXT NOT NULL,
    via TEXT,
    sku TEXT,
    listing TEXT,
    region TEXT,
    tier TEXT,
    purchase TEXT NOT NULL,
    gpu_count INTEGER NOT NULL,
    readings TEXT NOT NULL,         -- JSON: facts measured anew each night, the latest of each
    UNIQUE (collected_by, key)
) STRICT;

CREATE TABLE facts (
    id INTEGER PRIMARY KEY,
    sha BLOB NOT NULL UNIQUE,       -- first 16 bytes of sha256(json)
    json TEXT NOT NULL              -- the card as written, the host, billing, and what the price buys
) STRICT;

CREATE TABLE span (
    id INTEGER PRIMARY KEY,
    offer INTEGER NOT NULL REFERENCES offer,
    facts INTEGER NOT NULL REFERENCES facts,
    amount TEXT,                    -- native price; NULL: none known
    stock TEXT NOT NULL CHECK (stock IN ('available', 'sold-out', 'unknown')),
    first_in INTEGER NOT NULL REFERENCES collection,
    last_in INTEGER NOT NULL REFERENCES collection,
    ended_in INTEGER REFERENCES collection -- NULL: open; else the collection with another price, or without the offer
) STRICT;
CREATE INDEX span_offer ON span (offer, first_in);
CREATE INDEX span_open ON span (offer) WHERE ended_in IS NULL;

CREATE TABLE aggregate (            -- marketplaces: native price of one GPU an hour
    seq INTEGER NOT NULL REFERENCES collection,
    card TEXT NOT NULL,
    gpu_count INTEGER NOT NULL,
    purchase TEXT NOT NULL,
    currency TEXT NOT NULL,
    n INTEGER NOT NULL,
    lowest TEXT NOT NULL,
    p25 TEXT NOT NULL,
    median TEXT NOT NULL,
    PRIMARY KEY (seq, card, gpu_count, purchase, currency)
) STRICT, WITHOUT ROWID;

CREATE TABLE reject (
    seq INTEGER NOT NULL REFERENCES collection,
    part TEXT NOT NULL,
    path TEXT NOT NULL,
    value TEXT NOT NULL,
    reason TEXT NOT NULL
) STRICT;
CREATE INDEX reject_seq ON reject (seq);

CREATE TABLE aside (                -- an adapter's last refused answer, until it is accepted or a good one comes
    provider TEXT PRIMARY KEY,
    seq INTEGER NOT NULL REFERENCES collection,
    answer BLOB NOT NULL            -- gzip of JSON
) STRICT, WITHOUT ROWID;

CREATE TABLE ecb_rate (             -- units of a currency for one euro
    day TEXT NOT NULL,
    currency TEXT NOT NULL,
    per_eur TEXT NOT NULL,
    seq INTEGER NOT NULL REFERENCES collection,
    PRIMARY KEY (day, currency)
) STRICT, WITHOUT ROWID;

CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
