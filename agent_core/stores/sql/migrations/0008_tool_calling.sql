-- Which models were seen to call tools, so that a start need not ask them again.

CREATE TABLE tool_calling (
    endpoint TEXT NOT NULL,
    model TEXT NOT NULL,
    calls INTEGER NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (endpoint, model)
);
