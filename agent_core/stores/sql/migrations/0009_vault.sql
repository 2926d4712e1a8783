-- Which notes folders of the settings each series may use, and whether it may write there.

CREATE TABLE vault (
    series TEXT NOT NULL REFERENCES series (id),
    name TEXT NOT NULL,
    writable INTEGER NOT NULL,
    PRIMARY KEY (series, name)
);
