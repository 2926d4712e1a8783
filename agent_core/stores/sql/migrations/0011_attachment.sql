-- Files made for a conversation, with their content, until they have arrived there and for a while longer.

CREATE TABLE attachment (
    id           TEXT PRIMARY KEY NOT NULL,
    conversation TEXT NOT NULL REFERENCES conversation (id),
    person       TEXT NOT NULL REFERENCES person (id),
    name         TEXT NOT NULL,
    media_type   TEXT NOT NULL,
    size         INTEGER NOT NULL,
    created      TEXT NOT NULL,
    arrived      INTEGER NOT NULL DEFAULT 0,
    content      BLOB NOT NULL
);

CREATE INDEX attachment_due ON attachment (conversation) WHERE arrived = 0;
CREATE INDEX attachment_created ON attachment (created);
