-- The spine: people, conversations, turns, confirmations and the canon, in one database.
-- Instants are fixed-width UTC text (2026-05-01T09:30:00.000000Z), so that text order is time order.
-- Keys between tables stay inside one aggregate: the canon may live in another store.

CREATE TABLE schema_version (
    version INTEGER PRIMARY KEY,
    name TEXT NOT NULL
);

-- People and places

CREATE TABLE person (
    id TEXT PRIMARY KEY NOT NULL,
    name TEXT NOT NULL,
    operator INTEGER NOT NULL
);

CREATE TABLE identity (
    platform TEXT NOT NULL,
    user_id TEXT NOT NULL,
    person TEXT NOT NULL REFERENCES person (id),
    PRIMARY KEY (platform, user_id)
);

CREATE INDEX identity_person ON identity (person);

CREATE TABLE membership (
    person TEXT NOT NULL REFERENCES person (id),
    series TEXT NOT NULL,
    role TEXT NOT NULL,
    may_destroy INTEGER NOT NULL,
    PRIMARY KEY (person, series)
);

CREATE INDEX membership_series ON membership (series);

CREATE TABLE progress (
    person TEXT NOT NULL REFERENCES person (id),
    series TEXT NOT NULL,
    finished TEXT,
    ceiling TEXT,
    PRIMARY KEY (person, series)
);

CREATE TABLE conversation (
    id TEXT PRIMARY KEY NOT NULL,
    platform TEXT NOT NULL,
    place TEXT NOT NULL,
    private INTEGER NOT NULL,
    series TEXT,
    book TEXT,
    chapter TEXT,
    audience TEXT NOT NULL,
    audience_up_to TEXT,
    default_role TEXT NOT NULL,
    position TEXT,
    language TEXT NOT NULL,
    time_zone TEXT NOT NULL,
    families TEXT NOT NULL,
    UNIQUE (platform, place)
);

-- Turns

CREATE TABLE inbox (
    ord INTEGER PRIMARY KEY,
    platform TEXT NOT NULL,
    update_id TEXT NOT NULL,
    message TEXT NOT NULL,
    person TEXT NOT NULL,
    conversation TEXT NOT NULL,
    body TEXT NOT NULL,
    context TEXT NOT NULL,
    at TEXT NOT NULL,
    turn TEXT,
    UNIQUE (platform, update_id)
);

CREATE INDEX inbox_said ON inbox (conversation, ord);

CREATE TABLE turn (
    ord INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    conversation TEXT NOT NULL,
    requester TEXT NOT NULL,
    started TEXT NOT NULL,
    status TEXT NOT NULL,
    bound TEXT NOT NULL,
    language TEXT NOT NULL,
    question TEXT NOT NULL,
    deep INTEGER NOT NULL,
    mode TEXT NOT NULL,
    replies INTEGER NOT NULL,
    calls INTEGER NOT NULL,
    result_chars INTEGER NOT NULL,
    prompt_tokens INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL,
    answer TEXT NOT NULL
);

CREATE INDEX turn_history ON turn (conversation, started, ord);

CREATE INDEX turn_unfinished ON turn (started, ord) WHERE status IN ('queued', 'running');

-- Turns started before this instant are no history any more.
CREATE TABLE history_start (
    conversation TEXT PRIMARY KEY NOT NULL,
    at TEXT NOT NULL
);

CREATE TABLE turn_step (
    turn TEXT NOT NULL REFERENCES turn (id),
    seq INTEGER NOT NULL,
    role TEXT NOT NULL,
    content TEXT NOT NULL,
    calls TEXT NOT NULL,
    call_id TEXT NOT NULL,
    raw TEXT,
    provider TEXT NOT NULL,
    pending INTEGER NOT NULL,
    duration_ms INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    PRIMARY KEY (turn, seq)
);

CREATE TABLE turn_order (
    conversation TEXT PRIMARY KEY NOT NULL,
    holder TEXT NOT NULL,
    expires TEXT NOT NULL
);

CREATE TABLE outbox (
    ord INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    conversation TEXT NOT NULL,
    turn TEXT NOT NULL,
    body TEXT NOT NULL,
    may_repeat INTEGER NOT NULL,
    status TEXT NOT NULL
);

CREATE INDEX outbox_undelivered ON outbox (ord) WHERE status IN ('pending', 'attempting');

-- Confirmations and the audit

CREATE TABLE batch (
    ord INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    conversation TEXT NOT NULL,
    requester TEXT NOT NULL,
    series TEXT,
    turn TEXT,
    since INTEGER NOT NULL,
    language TEXT NOT NULL,
    bound TEXT NOT NULL,
    created TEXT NOT NULL,
    expires TEXT NOT NULL,
    digest TEXT NOT NULL,
    status TEXT NOT NULL,
    decided_by TEXT,
    decided_at TEXT,
    settled INTEGER NOT NULL,
    edit INTEGER,
    surface_ref TEXT NOT NULL
);

CREATE INDEX batch_unsettled ON batch (ord) WHERE settled = 0;

CREATE TABLE batch_call (
    id TEXT PRIMARY KEY NOT NULL,
    batch TEXT NOT NULL REFERENCES batch (id),
    ordinal INTEGER NOT NULL,
    call_id TEXT NOT NULL,
    tool TEXT NOT NULL,
    risk TEXT NOT NULL,
    arguments TEXT NOT NULL,
    card TEXT NOT NULL,
    status TEXT NOT NULL,
    selected INTEGER NOT NULL,
    result TEXT NOT NULL,
    UNIQUE (batch, ordinal)
);

CREATE TABLE audit (
    ord INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    at TEXT NOT NULL,
    call_id TEXT NOT NULL,
    conversation TEXT NOT NULL,
    requester TEXT NOT NULL,
    approver TEXT,
    tool TEXT NOT NULL,
    arguments TEXT NOT NULL,
    outcome TEXT NOT NULL,
    duration_ms INTEGER NOT NULL,
    error TEXT NOT NULL
);

CREATE TABLE rate_window (
    person TEXT NOT NULL,
    tool TEXT NOT NULL,
    starts TEXT NOT NULL,
    hits INTEGER NOT NULL,
    PRIMARY KEY (person, tool, starts)
);

-- The canon

CREATE TABLE series (
    ord INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    name_key TEXT NOT NULL,
    owner TEXT NOT NULL,
    UNIQUE (name_key, owner)
);

-- `frame` is the newest number up to this one that touched outline, undos or merges.
CREATE TABLE change (
    series TEXT NOT NULL REFERENCES series (id),
    number INTEGER NOT NULL,
    token TEXT NOT NULL,
    at TEXT NOT NULL,
    proposed_by TEXT NOT NULL,
    approved_by TEXT NOT NULL,
    source TEXT NOT NULL,
    summary TEXT NOT NULL,
    frame INTEGER NOT NULL,
    PRIMARY KEY (series, number),
    UNIQUE (series, token)
);

-- `subject` is the entity, scene or node that the row is about, '' for an undo.
-- Rows lie together by subject, so that an entry's state is read from neighbouring pages.
CREATE TABLE lore_row (
    series TEXT NOT NULL,
    subject TEXT NOT NULL,
    change INTEGER NOT NULL,
    ord INTEGER NOT NULL,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (series, subject, change, ord),
    FOREIGN KEY (series, change) REFERENCES change (series, number)
) WITHOUT ROWID;

CREATE INDEX lore_row_change ON lore_row (series, change, ord);

CREATE INDEX lore_row_link ON lore_row (series, change, ord, kind, subject, body)
WHERE kind IN ('undone', 'merged');

-- Tells the planner the shape of a large canon from the first day on; it would scan whole series otherwise.
ANALYZE lore_row;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
('lore_row', 'lore_row', '1000000 1000000 10 2 1'),
('lore_row', 'lore_row_change', '1000000 1000000 10 1'),
('lore_row', 'lore_row_link', '1000 1000 1 1 1 1 1');

-- The outline as it is now.
CREATE TABLE node (
    series TEXT NOT NULL REFERENCES series (id),
    id TEXT NOT NULL,
    kind TEXT NOT NULL,
    parent TEXT,
    rank TEXT NOT NULL,
    title TEXT NOT NULL,
    number TEXT NOT NULL,
    part TEXT NOT NULL,
    mode TEXT NOT NULL,
    place_relation TEXT,
    place_node TEXT,
    deleted INTEGER NOT NULL,
    PRIMARY KEY (series, id)
) WITHOUT ROWID;

-- The conflict keys of each change.
CREATE TABLE touched (
    series TEXT NOT NULL,
    change INTEGER NOT NULL,
    path TEXT NOT NULL,
    PRIMARY KEY (series, change, path),
    FOREIGN KEY (series, change) REFERENCES change (series, number)
) WITHOUT ROWID;
