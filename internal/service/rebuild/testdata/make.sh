#!/bin/sh
# Makes older.db.gz and older.json, with a program of before store/pebble:
#
#   git worktree add /tmp/older 06ab297 && (cd /tmp/older && go build -o /tmp/recoup-old ./cmd/recoup)
#   sh rebuild/testdata/make.sh /tmp/recoup-old
#
# Everything goes through that program's own doors: its API, its console, its commands.
set -eu
old=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'kill $service 2>/dev/null || :; rm -rf "$work"' EXIT
service=
cd "$work"
db=sqlite:older.db
port=18417
at=http://127.0.0.1:$port

serve() {
	"$old" serve "$@" --listen 127.0.0.1:$port --db $db --log-level warn --close-after 20000h 2>said &
	service=$!
	until curl -sf $at/readyz >/dev/null; do kill -0 $service; sleep 0.1; done
}
stop() { kill $service; wait $service || :; service=; }

cat >everyday.yaml <<'YAML'
id: everyday
currency: USD
clawback_method: proportional
rules:
  - {id: grocery, match: {category: [GROCERY], mcc: ["5400-5499"]}, rate: 5%, cap: {reward: 5000, per: cycle}}
  - {id: base, rate: 1%}
YAML
sed 's/everyday/yen/; s/USD/JPY/' everyday.yaml >yen.yaml
"$old" generate --accounts 6 --events 200 --seed 5 --start 2026-01-01 --days 90 --returns 250 --over-refunds 100 \
	--duplicates 20 --disorder 40 --program everyday.yaml --out events.jsonl

# Keys: one lets in senders, one people, one nobody any more.
key() { "$old" keys create --db $db "$@" --output json 2>/dev/null | tr -d '\n '; }
text() { sed 's/.*"key":"\([^"]*\)".*/\1/'; }
sender=$(key --scope ingest --scope read --name bank | text)
person=$(key --role operator --name Oscar | text)
revoked=$(key --scope read --name intern)
"$old" keys revoke --db $db "$(printf %s "$revoked" | sed 's/.*"id":"\([^"]*\)".*/\1/')" >/dev/null
revoked=$(printf %s "$revoked" | text)

# Endpoints: one of two types, one whose secret was rotated and which is disabled.
endpoint() { "$old" webhooks "$@" --db $db --output json 2>/dev/null | tr -d '\n '; }
secret() { sed 's/.*"secret":"\([^"]*\)".*/\1/'; }
first=$(endpoint add https://one.example/hooks --type reward.posted,redemption.denied | secret)
second=$(endpoint add https://two.example/hooks)
id=$(printf %s "$second" | sed 's/.*"id":"\([^"]*\)".*/\1/')
second=$(endpoint rotate "$id" | secret)
endpoint disable "$id" >/dev/null

# Programs in two versions, traffic, and what traffic has not.
serve --dev --program everyday.yaml
put() { curl -sf -X PUT -H 'Content-Type: application/yaml' --data-binary @"$1.yaml" "$at/v1/programs/$1$2" >/dev/null; }
put yen ''
sed -i 's/rate: 1%/rate: 2%/' everyday.yaml yen.yaml
put everyday '?effective=2027-06-01T00:00:00Z'
put yen '?effective=2027-06-01T00:00:00Z'
curl -sf -H 'Content-Type: application/x-ndjson' --data-binary @events.jsonl $at/v1/events >/dev/null
send() { # source-id type account time data
	printf '{"specversion":"1.0","source":"core","id":"%s","type":"%s","subject":"%s","time":"%s","data":%s}\n' "$@" |
		curl -sf -H 'Content-Type: application/x-ndjson' --data-binary @- $at/v1/events >>outcomes
}
send o1 account.opened tokyo 2026-02-01T09:00:00Z '{"program":"yen"}'
send t1 transaction.settled tokyo 2026-02-02T09:00:00Z '{"transaction":"t1","amount":20000,"currency":"JPY","merchant":"ramen"}'
send t2 transaction.settled anna 2026-02-02T09:00:00Z '{"transaction":"t2","amount":50000,"currency":"USD","merchant":"desk"}'
send t3 transaction.settled anna 2026-02-03T09:00:00Z '{"transaction":"t3","amount":10000,"currency":"USD","merchant":"lamp"}'
send d1 redemption.requested anna 2026-02-20T09:00:00Z '{"redemption":"d1","amount":300,"currency":"USD"}'
send d2 redemption.requested anna 2026-02-20T10:00:00Z '{"redemption":"d2","amount":900000,"currency":"USD"}'
send c1 chargeback.posted anna 2026-02-21T09:00:00Z '{"chargeback":"c1","transaction":"t2"}'
send c2 chargeback.posted anna 2026-02-21T10:00:00Z '{"chargeback":"c2","transaction":"t3"}'
send c3 chargeback.reversed anna 2026-03-21T10:00:00Z '{"chargeback":"c2"}'
send r1 refund.posted anna 2026-03-22T09:00:00Z '{"refund":"r1","transaction":"t9","amount":700,"currency":"USD"}'
send f1 transaction.settled anna 2026-03-23T09:00:00Z '{"transaction":"f1","amount":4000,"currency":"EUR","merchant":"cafe"}'
send f2 refund.posted anna 2026-03-24T09:00:00Z '{"refund":"f2","transaction":"t3","amount":900,"currency":"EUR"}'

# People: adjustments that one proposes and another decides about, or nobody yet.
person() { curl -sf -c "$1" -o /dev/null -H "Origin: $at" -d "role=$1" $at/console/sign-in; }
field() { grep -o "name=\"$1\" value=\"[^\"]*\"" page | head -1 | sed 's/.*value="\(.*\)"/\1/'; }
propose() { # amount reason
	curl -sf -b operator "$at/console/adjustment/new?account=anna" >page
	curl -sf -b operator -o /dev/null -H "Origin: $at" --data-urlencode "csrf=$(field csrf)" --data-urlencode "adjustment=$(field adjustment)" \
		-d direction=give -d "amount=$1" --data-urlencode "reason=$2" "$at/console/adjustment/new?account=anna"
}
decide() { # number decision note
	curl -sf -b approver $at/console/adjustments >page
	curl -sf -b approver -o /dev/null -H "Origin: $at" --data-urlencode "csrf=$(field csrf)" -d "number=$1" -d "decision=$2" --data-urlencode "note=$3" $at/console/adjustments
}
person operator
person approver
propose 40.00 'the card came three weeks late'
propose 30.00 'for the trouble'
propose 60.00 'a year of loyalty'
decide 1 approve ''
decide 2 reject 'that was in the first one'

# What the older program says of all of it.
{
	printf '{"keys":{"sender":"%s","person":"%s","revoked":"%s"},"secrets":["%s","%s"],"accounts":[\n' "$sender" "$person" "$revoked" "$first" "$second"
	for a in anna tokyo $(seq -f 'acct-%g' 6); do
		curl -sf $at/v1/accounts/$a | tr -d '\n'
		[ $a = acct-6 ] || echo ,
	done
	printf '\n],"reviews":'
	curl -sf "$at/v1/reviews?limit=200" | tr -d '\n'
	echo '}'
} >"$here/older.json"
stop
"$old" verify --db $db
gzip -9nc older.db >"$here/older.db.gz"
cat outcomes said
