#!/bin/sh
# The service and its console with sample data, until it is stopped. The database
# is in a folder of its own, which is made anew each time. ADDRESS is where to
# answer.
set -eu
recoup=$1
out=$2
address=${ADDRESS:-127.0.0.1:8080}
rm -rf "$out/demo"
mkdir -p "$out/demo"

cat <<END
== the console, once the sample data of nine months is loaded (some seconds):
  http://$address/console/

== what to try besides, in another terminal
Why did Anna's cashback go down?
  curl -s http://$address/v1/accounts/anna/entries
She buys groceries for \$100 now, and what became of it:
  curl -s http://$address/v1/events -H 'Content-Type: application/cloudevents+json' -d '{"specversion":"1.0","id":"e1","source":"shell","type":"transaction.settled","time":"$(date -u +%Y-%m-%dT%H:%M:%SZ)","subject":"anna","data":{"transaction":"shell-1","amount":10000,"currency":"USD","mcc":"5411"}}'
They are returned:
  curl -s http://$address/v1/events -H 'Content-Type: application/cloudevents+json' -d '{"specversion":"1.0","id":"e2","source":"shell","type":"refund.posted","time":"$(date -u +%Y-%m-%dT%H:%M:%SZ)","subject":"anna","data":{"refund":"shell-r1","transaction":"shell-1","amount":10000,"currency":"USD"}}'
What can Dan not redeem, and why?
  curl -s http://$address/v1/accounts/dan

The interface is described at http://$address/docs. Interrupt to stop.

END
exec "$recoup" serve --demo --db "$out/demo/data" --listen "$address"
