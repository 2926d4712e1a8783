-- Tokens for the HTTP API, and the events of turns for listeners that come back.

-- A token is stored as the hash of its secret part only; `id` is the part that may be shown.
CREATE TABLE token (
    id TEXT PRIMARY KEY NOT NULL,
    person TEXT NOT NULL REFERENCES person (id),
    name TEXT NOT NULL,
    hash TEXT NOT NULL,
    created TEXT NOT NULL,
    revoked INTEGER NOT NULL
);

-- `seq` counts in its conversation; `message` is the delivery that began the turn, '' where none did.
CREATE TABLE turn_event (
    conversation TEXT NOT NULL,
    seq INTEGER NOT NULL,
    turn TEXT NOT NULL,
    message TEXT NOT NULL,
    name TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (conversation, seq)
) WITHOUT ROWID;

CREATE INDEX turn_event_turn ON turn_event (turn) WHERE turn <> '';
