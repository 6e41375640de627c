#!/bin/sh
# Makes holds.tar.gz, with a program of before holds were of the lots that lose them:
#
#   git worktree add /tmp/older 8024c2aa && (cd /tmp/older && go build -o /tmp/recoup-old ./cmd/recoup)
#   sh internal/service/rebuild/testdata/make-holds.sh /tmp/recoup-old
set -eu
old=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cat >limits.yaml <<'YAML'
id: limits
currency: USD
expires: {months: 1}
clawback_method: rerate
rules:
  - {id: small, match: {category: [SMALL]}, rate: 10%, cap: {reward: 500, per: lifetime}}
  - {id: large, rate: 10%, cap: {reward: 5000, per: lifetime}}
YAML
event() { # account id type date data
	printf '{"specversion":"1.0","source":"core","subject":"%s","id":"%s","type":"%s","time":"%sT12:00:00Z","data":{%s,"currency":"USD"}}\n' "$@"
}
{
	# An announced return, whose room under the cap would go to a purchase that came late.
	for a in late paid; do
		event $a $a-1 transaction.settled 2026-04-10 '"transaction":"t0","amount":5000,"category":"SMALL"'
		event $a $a-2 transaction.settled 2026-01-10 '"transaction":"t1","amount":5000,"category":"SMALL"'
		event $a $a-3 refund.pending 2026-04-11 '"refund":"r0","transaction":"t0","amount":5000'
	done
	# The same, redeemed before the return posts.
	event paid paid-4 redemption.requested 2026-04-12 '"redemption":"d0","amount":500,"method":"credit"'
	event paid paid-5 refund.posted 2026-04-13 '"refund":"r0","transaction":"t0","amount":5000'
	# An announced return of what has expired.
	event over over-1 transaction.settled 2026-01-10 '"transaction":"t0","amount":10000'
	event over over-2 transaction.settled 2026-03-05 '"transaction":"t1","amount":5000'
	event over over-3 refund.pending 2026-03-06 '"refund":"r0","transaction":"t0","amount":10000'
} >events.jsonl
"$old" load --db holds --program limits.yaml events.jsonl
"$old" verify --db holds
tar --sort=name --mtime=2026-11-23 --owner=0 --group=0 --numeric-owner -c holds | gzip -9nc >"$here/holds.tar.gz"
