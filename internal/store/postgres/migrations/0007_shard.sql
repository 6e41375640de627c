-- Whose a schema is, where a ledger is kept in several: one row, or none if the schema is
-- a ledger by itself. closed names who has stopped the schema, to move it elsewhere; no
-- text is who lets it work.
CREATE TABLE shard (
    one    BOOL PRIMARY KEY DEFAULT true CHECK (one),
    ledger TEXT NOT NULL,
    shard  INT8 NOT NULL,
    epoch  INT8 NOT NULL,
    closed TEXT NOT NULL DEFAULT ''
);

-- Fails a transaction unless the schema is the one that it was opened as, and is not
-- closed. Who changes something holds the lock until it has committed, and whoever closes
-- the schema takes it alone: so nothing is committed after that, and no row is written
-- to find that out. Each statement of the function sees what is committed when it begins,
-- which is after the lock was waited for.
CREATE FUNCTION expect_shard(of_ledger TEXT, of_shard INT8, of_epoch INT8, changes BOOL) RETURNS VOID LANGUAGE plpgsql AS $$
DECLARE
    found shard%ROWTYPE;
BEGIN
    IF changes THEN
        PERFORM pg_advisory_xact_lock_shared(1380270930, 'shard'::REGCLASS::OID::INT4);
    END IF;
    SELECT * INTO found FROM shard;
    IF found.ledger IS DISTINCT FROM of_ledger OR found.shard IS DISTINCT FROM of_shard OR found.epoch IS DISTINCT FROM of_epoch OR found.closed <> '' THEN
        RAISE EXCEPTION 'shard % is not to be used at this place any more, or not yet', of_shard USING ERRCODE = 'RC002';
    END IF;
END $$;
