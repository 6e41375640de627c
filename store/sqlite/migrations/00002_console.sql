-- +goose Up

-- What a person searches for by its id alone, without its account.
CREATE INDEX transactions_id ON transactions (id);
CREATE INDEX refunds_id ON refunds (id);
CREATE INDEX chargebacks_id ON chargebacks (id);

-- The statements behind the sums of a cycle.
CREATE INDEX statements_cycle ON statements (cycle, account);

-- Who is signed in to the console. id is the SHA-256 of the cookie's token. person is
-- the id of the API key that was exchanged for the session, or "oidc:" and the subject
-- of a provider, or "as:" and the role that somebody plays where no key is needed.
CREATE TABLE sessions (
  id         BLOB NOT NULL PRIMARY KEY,
  person     TEXT NOT NULL,
  name       TEXT NOT NULL,
  scopes     TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_person ON sessions (person, created_at);
CREATE INDEX sessions_expiry ON sessions (expires_at);

-- Adjustments that wait for a second person, and what was decided. State 0 is
-- open, 1 approved, 2 rejected.
CREATE TABLE proposals (
  number      INTEGER PRIMARY KEY AUTOINCREMENT,
  account     TEXT NOT NULL,
  adjustment  TEXT NOT NULL UNIQUE,
  amount      INTEGER NOT NULL,
  currency    TEXT NOT NULL,
  reason      TEXT NOT NULL,
  proposer    TEXT NOT NULL,
  proposed_at INTEGER NOT NULL,
  state       INTEGER NOT NULL DEFAULT 0,
  decider     TEXT NOT NULL DEFAULT '',
  decided_at  INTEGER,
  note        TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX proposals_open ON proposals (number) WHERE state = 0;
CREATE INDEX proposals_account ON proposals (account);
