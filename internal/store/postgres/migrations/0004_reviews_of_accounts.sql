-- What is open for review of one account, however much else the account has.
CREATE INDEX transactions_review_of ON transactions (account) WHERE review_since IS NOT NULL;
CREATE INDEX refunds_review_of ON refunds (account) WHERE review_since IS NOT NULL;
CREATE INDEX chargebacks_review_of ON chargebacks (account) WHERE review_since IS NOT NULL;
