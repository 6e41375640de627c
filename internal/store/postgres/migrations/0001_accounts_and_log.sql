-- Texts that rows are found or ordered by compare as bytes, whatever the
-- database's own collation is: the order is part of what every driver promises.

-- A unit of work changes the row of each of its accounts once. Room in the pages
-- and no index on what usually changes let the new version of a row stay beside
-- the old one (a heap-only update), so no index is touched. Heads stay in the
-- row, uncompressed, as long as a page holds them.
CREATE TABLE accounts (
    version INT8 NOT NULL,
    last    INT8 NOT NULL,
    due     INT8,
    account TEXT COLLATE "C" PRIMARY KEY,
    program TEXT COLLATE "C" NOT NULL,
    head    BYTEA NOT NULL
) WITH (fillfactor = 50, toast_tuple_target = 8160);
CREATE INDEX accounts_due ON accounts (due) WHERE due IS NOT NULL;

-- The log of events. Rows are added and never changed.
CREATE TABLE events (
    number   INT8 PRIMARY KEY,
    sequence INT8 NOT NULL,
    before   INT8 NOT NULL,
    received INT8 NOT NULL,
    outcome  INT2 NOT NULL,
    code     INT2 NOT NULL,
    account  TEXT COLLATE "C" NOT NULL,
    source   TEXT COLLATE "C" NOT NULL,
    id       TEXT COLLATE "C" NOT NULL,
    type     TEXT COLLATE "C" NOT NULL,
    event    BYTEA NOT NULL,
    postings BYTEA,
    UNIQUE (account, source, id)
);

-- Numbers are handed out to processes in blocks of this many; see numbers.go.
CREATE SEQUENCE event_numbers START 1 MINVALUE 1 INCREMENT 1024;

CREATE TABLE statements (
    cycle       INT8 NOT NULL,
    opening     INT8 NOT NULL,
    granted     INT8 NOT NULL,
    clawed_back INT8 NOT NULL,
    redeemed    INT8 NOT NULL,
    adjusted    INT8 NOT NULL,
    closing     INT8 NOT NULL,
    last        INT8 NOT NULL,
    account     TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (account, cycle)
);

-- The parts of accounts, one table a kind.
CREATE TABLE transactions (
    settled      INT8,
    bucket       INT8,
    review_since INT8,
    working      BOOL NOT NULL,
    account      TEXT COLLATE "C" NOT NULL,
    id           TEXT COLLATE "C" NOT NULL,
    data         BYTEA NOT NULL,
    PRIMARY KEY (account, id)
);
CREATE TABLE refunds       (LIKE transactions INCLUDING INDEXES);
CREATE TABLE chargebacks   (LIKE transactions INCLUDING INDEXES);
CREATE TABLE redemptions   (LIKE transactions INCLUDING INDEXES);
CREATE TABLE adjustments   (LIKE transactions INCLUDING INDEXES);
CREATE TABLE buckets       (LIKE transactions INCLUDING INDEXES);

CREATE INDEX transactions_working ON transactions (account) WHERE working;
CREATE INDEX refunds_working      ON refunds      (account) WHERE working;
CREATE INDEX chargebacks_working  ON chargebacks  (account) WHERE working;
CREATE INDEX redemptions_working  ON redemptions  (account) WHERE working;
CREATE INDEX adjustments_working  ON adjustments  (account) WHERE working;
CREATE INDEX buckets_working      ON buckets      (account) WHERE working;

CREATE INDEX transactions_bucket ON transactions (account, bucket) WHERE bucket IS NOT NULL;

CREATE INDEX transactions_review ON transactions (review_since, account, id) WHERE review_since IS NOT NULL;
CREATE INDEX refunds_review      ON refunds      (review_since, account, id) WHERE review_since IS NOT NULL;
CREATE INDEX chargebacks_review  ON chargebacks  (review_since, account, id) WHERE review_since IS NOT NULL;

-- Fails a statement, and with it the transaction that commits in the same
-- exchange, unless it changed as many accounts as it should have.
CREATE FUNCTION expect_accounts(changed INT8, expected INT8) RETURNS VOID LANGUAGE plpgsql AS $$
BEGIN
    IF changed <> expected THEN
        RAISE EXCEPTION '% of % accounts are at the version expected', changed, expected USING ERRCODE = 'RC001';
    END IF;
END $$;
