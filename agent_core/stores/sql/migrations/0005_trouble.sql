-- Why a line failed, for people: a key of the texts and its facts as JSON, empty for any other line.

ALTER TABLE batch_call ADD COLUMN trouble TEXT NOT NULL DEFAULT '';
