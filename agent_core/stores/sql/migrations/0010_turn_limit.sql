-- How many replies of the model a turn may have at most, where whoever asked has said so.

ALTER TABLE turn ADD COLUMN max_replies INTEGER;
