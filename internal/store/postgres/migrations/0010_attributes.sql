-- Attributes that were withdrawn before they came, with their place on the review list.
CREATE TABLE attributes (LIKE redemptions INCLUDING INDEXES);
