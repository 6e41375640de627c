#!/bin/sh
# What Recoup is for, in under a minute: the same traffic through other people's
# reward programs and through Recoup, and what is found out about each.
set -eu
recoup=$1
out=$2
mkdir -p "$out"

echo "== 100,000 events of 1,000 cardholders, who buy, redeem and return"
"$recoup" generate --accounts 1000 --events 100000 --seed 1 --program program/everyday.yaml -o "$out/events.jsonl"
ls -l "$out/events.jsonl" | awk '{print $NF, $5, "bytes"}'

echo
echo "== the same events through every design, everybody redeeming all they can"
"$recoup" lab compare --program program/everyday.yaml "$out/events.jsonl"

echo
echo "== what each design does about a refund, found out by playing with it"
"$recoup" lab issuers

cat <<EOF

What to try next:
  $recoup replay --program program/everyday.yaml --journal $out/journal.jsonl $out/events.jsonl
  $recoup lab attack --issuer A        the best strategy against a design, as a timeline
  $recoup lab gaps                     thirteen leaks in the published algorithms, and their absence here
  $recoup lab report -o $out/report.html   all of it on one page, with charts
  $recoup import online-retail FILE    two years of real purchases and returns (see the README)
EOF
