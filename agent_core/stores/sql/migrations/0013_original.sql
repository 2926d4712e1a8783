-- Whether the question of a turn is what its person said just so. Of turns from before that is not known.

ALTER TABLE turn ADD COLUMN original INTEGER NOT NULL DEFAULT 0;
