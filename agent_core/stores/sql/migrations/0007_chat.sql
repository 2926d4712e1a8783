-- What chat platforms need to find again after a restart.

-- Where the card of a batch stands, and the state of the batch that it shows.
CREATE TABLE shown_card (
    platform TEXT NOT NULL,
    ref TEXT NOT NULL,
    batch TEXT NOT NULL REFERENCES batch (id),
    place TEXT NOT NULL,
    state TEXT NOT NULL,
    PRIMARY KEY (platform, ref)
);

CREATE INDEX shown_card_batch ON shown_card (batch);

-- What people said in a place without addressing us: context of the next question, never more.
CREATE TABLE overheard (
    ord INTEGER PRIMARY KEY,
    conversation TEXT NOT NULL,
    message TEXT NOT NULL,
    speaker TEXT NOT NULL,
    body TEXT NOT NULL,
    at TEXT NOT NULL,
    UNIQUE (conversation, message)
);

-- What the buttons of a card go on with: a look-up, a choice, the steps of a turn.
CREATE TABLE followup (
    ord INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    conversation TEXT NOT NULL,
    person TEXT NOT NULL,
    body TEXT NOT NULL,
    at TEXT NOT NULL
);

-- Single facts an adapter keeps: how far a thread was read, which commands are registered, what is pinned.
CREATE TABLE chat_note (
    platform TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (platform, key)
);

ALTER TABLE turn ADD COLUMN context TEXT NOT NULL DEFAULT '';

CREATE INDEX inbox_message ON inbox (conversation, message);
