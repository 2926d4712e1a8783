-- Search: names, facts and scene texts under folded terms. The full-text tables hold terms only, no text.
-- Terms arrive folded and joined by spaces, so the tokenizer must not fold or split again: "ascii" takes
-- every character beyond ASCII into a word, and `tokenchars` the signs that terms and tags hold.

CREATE TABLE search_name (
    id INTEGER PRIMARY KEY,
    series TEXT NOT NULL,
    entity TEXT NOT NULL,
    row TEXT NOT NULL,
    name TEXT NOT NULL,
    keys TEXT NOT NULL
);

CREATE TABLE search_name_key (
    series TEXT NOT NULL,
    key TEXT NOT NULL,
    name INTEGER NOT NULL REFERENCES search_name (id),
    PRIMARY KEY (series, key, name)
) WITHOUT ROWID;

CREATE TABLE search_fact (
    id INTEGER PRIMARY KEY,
    series TEXT NOT NULL,
    entity TEXT NOT NULL,
    row TEXT NOT NULL
);

CREATE TABLE search_scene (
    id INTEGER PRIMARY KEY,
    series TEXT NOT NULL,
    scene TEXT NOT NULL,
    row TEXT NOT NULL
);

CREATE VIRTUAL TABLE search_name_term USING fts5 (
    terms, content = '', columnsize = 0, detail = none, tokenize = "ascii tokenchars '#+:'"
);

-- Parts of names, for substrings and typos: trigrams of the keys, their words with one letter left out.
CREATE VIRTUAL TABLE search_name_part USING fts5 (
    terms, content = '', columnsize = 0, detail = none, tokenize = "ascii tokenchars '#+:_~'"
);

CREATE VIRTUAL TABLE search_fact_term USING fts5 (
    terms, content = '', columnsize = 0, detail = none, tokenize = "ascii tokenchars '#+:'"
);

CREATE VIRTUAL TABLE search_scene_term USING fts5 (
    terms, content = '', columnsize = 0, detail = none, tokenize = "ascii tokenchars '#+:'"
);
