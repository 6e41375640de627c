-- What is kept beside the accounts: see package record. The values are JSON as text:
-- PostgreSQL looks at whether it is well-formed and at nothing else, so that every text
-- comes back as it was written, also with a \u0000, which JSONB refuses.
--
-- Deliveries are added and deleted all the time, at the beginning of what is looked for:
-- they are cleared away before there are many, however many other records there are.
CREATE TABLE records (
    tab   TEXT COLLATE "C" NOT NULL,
    key   BYTEA NOT NULL,
    value JSON NOT NULL,
    PRIMARY KEY (tab, key)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
