-- What is open for review of redemptions, as 0001 and 0004 have it of other parts.
CREATE INDEX redemptions_review ON redemptions (review_since, account, id) WHERE review_since IS NOT NULL;
CREATE INDEX redemptions_review_of ON redemptions (account) WHERE review_since IS NOT NULL;
