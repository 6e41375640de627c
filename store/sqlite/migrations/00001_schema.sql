-- +goose Up

-- The log of events. Only ever appended to.
CREATE TABLE events (
  number   INTEGER PRIMARY KEY,
  account  TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  before   INTEGER NOT NULL,
  received INTEGER NOT NULL,
  source   TEXT NOT NULL,
  id       TEXT NOT NULL,
  type     TEXT NOT NULL,
  outcome  INTEGER NOT NULL,
  code     INTEGER NOT NULL,
  event    BLOB NOT NULL,
  postings BLOB
) STRICT;

-- Which event was logged under an identity. Filed from the backlog.
CREATE TABLE identities (
  account TEXT NOT NULL,
  source  TEXT NOT NULL,
  id      TEXT NOT NULL,
  number  INTEGER NOT NULL,
  PRIMARY KEY (account, source, id)
) STRICT, WITHOUT ROWID;

-- The heads of accounts. Filed from the backlog.
CREATE TABLE accounts (
  account TEXT NOT NULL PRIMARY KEY,
  program TEXT NOT NULL,
  version INTEGER NOT NULL,
  last    INTEGER NOT NULL,
  due     INTEGER,
  head    BLOB
) STRICT, WITHOUT ROWID;
CREATE INDEX accounts_due ON accounts (due) WHERE due IS NOT NULL;

-- The parts of accounts. Filed from the backlog.
CREATE TABLE transactions (
  account TEXT NOT NULL, id TEXT NOT NULL, working INTEGER NOT NULL, bucket INTEGER, settled INTEGER, review_since INTEGER, data BLOB,
  PRIMARY KEY (account, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX transactions_working ON transactions (account) WHERE working = 1;
CREATE INDEX transactions_bucket ON transactions (account, bucket) WHERE bucket IS NOT NULL;
CREATE INDEX transactions_review ON transactions (review_since, account, id) WHERE review_since IS NOT NULL;

CREATE TABLE refunds (
  account TEXT NOT NULL, id TEXT NOT NULL, working INTEGER NOT NULL, bucket INTEGER, settled INTEGER, review_since INTEGER, data BLOB,
  PRIMARY KEY (account, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX refunds_working ON refunds (account) WHERE working = 1;
CREATE INDEX refunds_bucket ON refunds (account, bucket) WHERE bucket IS NOT NULL;
CREATE INDEX refunds_review ON refunds (review_since, account, id) WHERE review_since IS NOT NULL;

CREATE TABLE chargebacks (
  account TEXT NOT NULL, id TEXT NOT NULL, working INTEGER NOT NULL, bucket INTEGER, settled INTEGER, review_since INTEGER, data BLOB,
  PRIMARY KEY (account, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX chargebacks_working ON chargebacks (account) WHERE working = 1;
CREATE INDEX chargebacks_bucket ON chargebacks (account, bucket) WHERE bucket IS NOT NULL;
CREATE INDEX chargebacks_review ON chargebacks (review_since, account, id) WHERE review_since IS NOT NULL;

CREATE TABLE redemptions (
  account TEXT NOT NULL, id TEXT NOT NULL, working INTEGER NOT NULL, bucket INTEGER, settled INTEGER, review_since INTEGER, data BLOB,
  PRIMARY KEY (account, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX redemptions_working ON redemptions (account) WHERE working = 1;
CREATE INDEX redemptions_bucket ON redemptions (account, bucket) WHERE bucket IS NOT NULL;
CREATE INDEX redemptions_review ON redemptions (review_since, account, id) WHERE review_since IS NOT NULL;

CREATE TABLE adjustments (
  account TEXT NOT NULL, id TEXT NOT NULL, working INTEGER NOT NULL, bucket INTEGER, settled INTEGER, review_since INTEGER, data BLOB,
  PRIMARY KEY (account, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX adjustments_working ON adjustments (account) WHERE working = 1;
CREATE INDEX adjustments_bucket ON adjustments (account, bucket) WHERE bucket IS NOT NULL;
CREATE INDEX adjustments_review ON adjustments (review_since, account, id) WHERE review_since IS NOT NULL;

CREATE TABLE buckets (
  account TEXT NOT NULL, id TEXT NOT NULL, working INTEGER NOT NULL, bucket INTEGER, settled INTEGER, review_since INTEGER, data BLOB,
  PRIMARY KEY (account, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX buckets_working ON buckets (account) WHERE working = 1;
CREATE INDEX buckets_bucket ON buckets (account, bucket) WHERE bucket IS NOT NULL;
CREATE INDEX buckets_review ON buckets (review_since, account, id) WHERE review_since IS NOT NULL;

CREATE TABLE statements (
  account     TEXT NOT NULL,
  cycle       INTEGER NOT NULL,
  opening     INTEGER NOT NULL,
  granted     INTEGER NOT NULL,
  clawed_back INTEGER NOT NULL,
  redeemed    INTEGER NOT NULL,
  adjusted    INTEGER NOT NULL,
  closing     INTEGER NOT NULL,
  last        INTEGER NOT NULL,
  PRIMARY KEY (account, cycle)
) STRICT, WITHOUT ROWID;

-- One row a commit: the accounts, parts and identities that it left, until they
-- are filed in the tables above. Rows up to filing.filed are filed.
CREATE TABLE backlog (
  number  INTEGER PRIMARY KEY,
  changes BLOB NOT NULL
) STRICT;
CREATE TABLE filing (
  only  INTEGER PRIMARY KEY CHECK (only = 1),
  filed INTEGER NOT NULL
) STRICT;
INSERT INTO filing (only, filed) VALUES (1, 0);

CREATE TABLE programs (
  program    TEXT NOT NULL,
  version    INTEGER NOT NULL,
  from_cycle INTEGER NOT NULL,
  document   TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  actor      TEXT NOT NULL,
  PRIMARY KEY (program, version)
) STRICT, WITHOUT ROWID;

CREATE TABLE keys (
  id         TEXT NOT NULL PRIMARY KEY,
  name       TEXT NOT NULL,
  scopes     TEXT NOT NULL,
  hash       BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  revoked_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE endpoints (
  id          TEXT NOT NULL PRIMARY KEY,
  url         TEXT NOT NULL,
  types       TEXT NOT NULL,
  secrets     TEXT NOT NULL,
  created_at  INTEGER NOT NULL,
  disabled_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE notices (
  number     INTEGER PRIMARY KEY AUTOINCREMENT,
  account    TEXT NOT NULL,
  type       TEXT NOT NULL,
  body       BLOB NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE deliveries (
  number   INTEGER PRIMARY KEY AUTOINCREMENT,
  notice   INTEGER NOT NULL,
  endpoint TEXT NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  next_at  INTEGER NOT NULL,
  state    INTEGER NOT NULL DEFAULT 0,
  error    TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX deliveries_due ON deliveries (endpoint, next_at) WHERE state = 0;
CREATE INDEX deliveries_of_notice ON deliveries (notice);

CREATE TABLE seals (
  account  TEXT NOT NULL PRIMARY KEY,
  sequence INTEGER NOT NULL,
  number   INTEGER NOT NULL,
  hash     BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE checks (
  name   TEXT NOT NULL PRIMARY KEY,
  at     INTEGER NOT NULL,
  result TEXT NOT NULL
) STRICT, WITHOUT ROWID;
