-- The purchases of one account that settled in a span of time: what an unlinked refund is
-- looked for among, and may be of. Without it all purchases of the account are read.
CREATE INDEX transactions_settled ON transactions (account, settled) WHERE settled IS NOT NULL;
