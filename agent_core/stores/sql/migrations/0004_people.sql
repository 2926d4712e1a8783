-- Persons behind several identities, codes, who is let in, what was spent, what operators were told.

-- The person that this one became a part of; their id goes on standing for that person.
ALTER TABLE person ADD COLUMN united_with TEXT REFERENCES person (id);

CREATE INDEX person_united ON person (united_with) WHERE united_with IS NOT NULL;

-- Codes are stored as hashes only. `person` is who asked for it; nobody for a pairing code.
CREATE TABLE link_code (
    hash TEXT PRIMARY KEY NOT NULL,
    kind TEXT NOT NULL,
    person TEXT REFERENCES person (id),
    expires TEXT NOT NULL
);

CREATE TABLE admission (
    platform TEXT NOT NULL,
    door TEXT NOT NULL,
    key TEXT NOT NULL,
    PRIMARY KEY (platform, door, key)
);

-- Where each operator was last spoken to in private.
CREATE TABLE operator_place (
    person TEXT NOT NULL REFERENCES person (id),
    platform TEXT NOT NULL,
    conversation TEXT NOT NULL,
    PRIMARY KEY (person, platform)
);

-- What is broken and was told; a row goes when it works again.
CREATE TABLE notice (
    kind TEXT PRIMARY KEY NOT NULL,
    since TEXT NOT NULL
);

-- Replies of a model that costs something, and their price in billionths of the currency.
ALTER TABLE turn ADD COLUMN metered INTEGER NOT NULL DEFAULT 0;
ALTER TABLE turn ADD COLUMN cost_nano INTEGER NOT NULL DEFAULT 0;

CREATE INDEX turn_spent ON turn (requester, started, metered, prompt_tokens, completion_tokens, cost_nano);

CREATE INDEX turn_cost ON turn (started, metered, prompt_tokens, completion_tokens, cost_nano);
