-- Who sent an event: the id of a key or of a person, or system. Events of before have
-- none.
ALTER TABLE events ADD COLUMN principal TEXT COLLATE "C" NOT NULL DEFAULT '';
