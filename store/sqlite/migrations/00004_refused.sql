-- +goose Up

-- Facts that were refused since they are in another currency than their account. They
-- left no trace there, and are open for review until somebody decides.
CREATE TABLE refused (
  number     INTEGER PRIMARY KEY AUTOINCREMENT,
  account    TEXT NOT NULL,
  source     TEXT NOT NULL,
  id         TEXT NOT NULL,
  refused_at INTEGER NOT NULL,
  event      BLOB NOT NULL,
  decided_at INTEGER,
  decision   TEXT NOT NULL DEFAULT '',
  actor      TEXT NOT NULL DEFAULT '',
  reason     TEXT NOT NULL DEFAULT '',
  UNIQUE (account, source, id)
) STRICT;
CREATE INDEX refused_open ON refused (refused_at, number) WHERE decided_at IS NULL;
CREATE INDEX refused_open_of ON refused (account) WHERE decided_at IS NULL;
