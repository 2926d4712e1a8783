-- The audit's projection to a file: each state of a row gets a number, and one mark says how far the file is.

ALTER TABLE audit ADD COLUMN seq INTEGER NOT NULL DEFAULT 0;

UPDATE audit SET seq = ord;

CREATE UNIQUE INDEX audit_seq ON audit (seq);

-- `size` is that of the file when everything up to `seq` stood in it.
CREATE TABLE journal (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    seq INTEGER NOT NULL,
    size INTEGER NOT NULL
);

INSERT INTO journal (id, seq, size) VALUES (1, 0, 0);
