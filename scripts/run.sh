#!/bin/sh
# The service with a sample program and a sample of traffic, until it is stopped.
set -eu
recoup=$1
out=$2
address=${ADDRESS:-127.0.0.1:8080}
mkdir -p "$out"
rm -f "$out"/recoup.db*

echo "== a quarter of a year of 100 cardholders, who buy, redeem and return, into $out/recoup.db"
"$recoup" generate --accounts 100 --events 9000 --days 90 --seed 1 --start 2026-01-01 --program program/everyday.yaml -o "$out/events.jsonl"
"$recoup" load --db "sqlite:$out/recoup.db" --program program/everyday.yaml "$out/events.jsonl"
"$recoup" verify --db "sqlite:$out/recoup.db"

cat <<EOF

== what to try, in another terminal
A purchase of \$100, and what became of it:
  curl -s http://$address/v1/events -H 'Content-Type: application/cloudevents+json' -d '{"specversion":"1.0","id":"e1","source":"shell","type":"transaction.settled","time":"2026-04-05T10:00:00Z","subject":"me","data":{"transaction":"t1","amount":10000,"currency":"USD","category":"GROCERY"}}'
It is returned:
  curl -s http://$address/v1/events -H 'Content-Type: application/cloudevents+json' -d '{"specversion":"1.0","id":"e2","source":"shell","type":"refund.posted","time":"2026-04-06T10:00:00Z","subject":"me","data":{"refund":"r1","transaction":"t1","amount":10000,"currency":"USD"}}'
Why did my cashback go down?
  curl -s http://$address/v1/accounts/me/entries

The interface is described at http://$address/docs. Interrupt to stop.

EOF
exec "$recoup" serve --dev --db "sqlite:$out/recoup.db" --listen "$address"
