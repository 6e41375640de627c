#!/bin/sh
# What make test does not have the time for: longer sequences, many more random
# traces, and every fuzz target for a while.
set -eu
fuzz=${1:-60s}
RECOUP_LONG=1 go test -timeout 120m -count=1 ./...
go list -f '{{.ImportPath}} {{.TestImports}} {{.XTestImports}}' ./... | grep 'pgregory.net/rapid' | grep -v '/e2e ' | while read -r package _; do
	go test "$package" -timeout 120m -count=1 -rapid.checks=20000 </dev/null
done
sh scripts/fuzz.sh "$fuzz"
