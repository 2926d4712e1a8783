-- Tasks at set times and their runs: a due time has at most one run, whichever process starts it. A turn that
-- a schedule began closes no card of its person.

CREATE TABLE schedule (
    id TEXT PRIMARY KEY NOT NULL,
    number INTEGER NOT NULL UNIQUE,
    conversation TEXT NOT NULL REFERENCES conversation (id),
    series TEXT,
    creator TEXT NOT NULL REFERENCES person (id),
    language TEXT NOT NULL,
    created TEXT NOT NULL,
    rule TEXT NOT NULL,
    zone TEXT NOT NULL,
    label TEXT NOT NULL,
    prompt TEXT NOT NULL,
    tool TEXT NOT NULL,
    arguments TEXT NOT NULL,
    status TEXT NOT NULL,
    paused_for TEXT,
    next_due TEXT,
    failures INTEGER NOT NULL
);

CREATE INDEX schedule_due ON schedule (next_due) WHERE status = 'active';

CREATE TABLE schedule_run (
    id TEXT PRIMARY KEY NOT NULL,
    task TEXT NOT NULL REFERENCES schedule (id),
    due TEXT NOT NULL,
    begins TEXT NOT NULL,
    status TEXT NOT NULL,
    late INTEGER NOT NULL,
    missed INTEGER NOT NULL,
    by_hand INTEGER NOT NULL,
    holder TEXT NOT NULL,
    lease TEXT,
    tries INTEGER NOT NULL,
    ended TEXT,
    turn TEXT,
    batch TEXT,
    error TEXT NOT NULL,
    UNIQUE (task, due)
);

CREATE INDEX schedule_run_open ON schedule_run (begins) WHERE status IN ('queued', 'running');

ALTER TABLE turn ADD COLUMN scheduled INTEGER NOT NULL DEFAULT 0;
