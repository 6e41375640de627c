-- What is kept beside the accounts: see package record. The values are JSON as text:
-- PostgreSQL looks at whether it is well-formed and at nothing else, so that every text
-- comes back as it was written, also with a \u0000, which JSONB refuses.
--
-- Deliveries are added and deleted all the time, at the beginning of what is looked for:
-- what is left of them is cleared away early. Other records, such as seals, are written
-- over, and their new versions find room beside the old ones.
CREATE TABLE records (
    tab   TEXT COLLATE "C" NOT NULL,
    key   BYTEA NOT NULL,
    value JSON NOT NULL,
    PRIMARY KEY (tab, key)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000);

-- What was kept in tables of its own before is carried over, as the packages that keep it
-- have it now. Who was signed in signs in again.

-- The parts of a key: see record.Key. No text has a zero byte in it here.
CREATE FUNCTION key_text(t TEXT) RETURNS BYTEA LANGUAGE sql IMMUTABLE AS $$ SELECT convert_to(t, 'UTF8') || '\x0001'::BYTEA $$;
CREATE FUNCTION key_int(i INT8) RETURNS BYTEA LANGUAGE sql IMMUTABLE AS $$ SELECT int8send(i # (-9223372036854775807 - 1)) $$;

INSERT INTO records SELECT 'keys', convert_to(id, 'UTF8'), json_build_object('id', id, 'name', name, 'scopes', scopes,
    'hash', encode(hash, 'hex'), 'created_at', created_at, 'revoked_at', coalesce(revoked_at, 0)) FROM keys;

-- The row of the program with the empty id named the default program.
INSERT INTO records SELECT 'programs', key_text(program) || key_int(version), json_build_object('program', program, 'version', version,
    'from_cycle', from_cycle, 'document', document, 'created_at', created_at, 'actor', actor) FROM programs WHERE program <> '';
INSERT INTO records SELECT 'programs_summary', 'all', json_build_object('versions', count(*) FILTER (WHERE program <> ''),
    'default', max(document) FILTER (WHERE program = '')) FROM programs HAVING count(*) > 0;

-- People were an id and a name on two lines.
CREATE FUNCTION person(t TEXT) RETURNS JSON LANGUAGE sql IMMUTABLE AS $$ SELECT json_build_object('id', split_part(t, E'\n', 1), 'name', split_part(t, E'\n', 2)) $$;
CREATE TEMPORARY TABLE carried ON COMMIT DROP AS SELECT number, account, adjustment, state, json_build_object('number', number, 'account', account,
    'adjustment', adjustment, 'amount', amount, 'currency', currency, 'reason', reason, 'proposer', person(proposer), 'proposed_at', proposed_at,
    'state', (ARRAY['open', 'approved', 'rejected'])[state + 1], 'decider', person(decider), 'decided_at', coalesce(decided_at, 0), 'note', note) AS value FROM proposals;
INSERT INTO records SELECT 'proposals', key_int(number), value FROM carried;
INSERT INTO records SELECT CASE state WHEN 0 THEN 'proposals_open' ELSE 'proposals_decided' END, key_int(number), value FROM carried;
INSERT INTO records SELECT 'proposals_of', key_text(account) || key_int(number), value FROM carried;
INSERT INTO records SELECT 'proposals_adjustment', convert_to(adjustment, 'UTF8'), to_json(number) FROM carried;
INSERT INTO records SELECT 'proposals_last', 'number', to_json(max(number)) FROM carried HAVING count(*) > 0;
DROP TABLE carried;

-- The numbers of refused facts are those of events now; what is carried over has numbers
-- below zero, which no event has.
INSERT INTO records SELECT 'refused', key_int(-number), json_build_object('number', -number, 'refused_at', refused_at,
    'event', convert_from(event, 'UTF8')::JSON, 'decided_at', coalesce(decided_at, 0), 'decision', decision, 'actor', actor, 'reason', reason) FROM refused;
INSERT INTO records SELECT 'refused_named', key_text(account) || key_text(source) || key_text(id), to_json(-number) FROM refused;
INSERT INTO records SELECT 'refused_open', key_int(refused_at) || key_int(-number), to_json(-number) FROM refused WHERE decided_at IS NULL;
INSERT INTO records SELECT 'refused_open_of', key_text(account) || key_int(refused_at) || key_int(-number), to_json(-number) FROM refused WHERE decided_at IS NULL;

-- What waits to be sent named no event: it is of event 0, in the order in which it was
-- written.
INSERT INTO records SELECT 'endpoints', convert_to(id, 'UTF8'), json_build_object('id', id, 'url', url, 'types', string_to_array(types, ','),
    'secrets', secrets, 'created_at', created_at, 'disabled_at', coalesce(disabled_at, 0)) FROM endpoints;
INSERT INTO records SELECT CASE d.state WHEN 0 THEN 'deliveries' ELSE 'dead_letters' END,
    key_text(d.endpoint) || CASE d.state WHEN 0 THEN key_int(d.next_at) || key_int(0) || key_int(n.number) ELSE key_int(d.number) END,
    json_build_object('endpoint', d.endpoint, 'event', 0, 'place', n.number, 'account', n.account, 'type', n.type, 'body', convert_from(n.body, 'UTF8')::JSON,
        'created_at', n.created_at, 'next_at', d.next_at, 'attempts', d.attempts, 'error', d.error, 'number', CASE d.state WHEN 0 THEN 0 ELSE d.number END)
    FROM deliveries d JOIN notices n ON n.number = d.notice JOIN endpoints e ON e.id = d.endpoint;
INSERT INTO records SELECT 'counters', 'dead_letters', to_json(max(number)) FROM deliveries WHERE state <> 0 HAVING count(*) > 0;

INSERT INTO records SELECT 'seals', key_text(account), json_build_object('sequence', sequence, 'number', number,
    'hash', translate(encode(hash, 'base64'), E'\n', '')) FROM seals;
INSERT INTO records SELECT 'sealed', 'total', json_build_object('events', sum(sequence)) FROM seals HAVING count(*) > 0;
INSERT INTO records SELECT 'checks', convert_to(name, 'UTF8'), json_build_object('at', at, 'result', result) FROM checks;

DROP FUNCTION key_text, key_int, person;
DROP TABLE keys, sessions, programs, proposals, refused, endpoints, notices, deliveries, seals, checks;
