#!/bin/sh
# The figures of docs/performance.md. On a shared machine run it when nothing
# else runs; every comparison is between figures of one run.
set -eu
go version
echo "$(nproc) x $(grep -m1 'model name' /proc/cpuinfo 2>/dev/null | cut -d: -f2)"
count=${COUNT:-3}
go test ./event -run '^$' -bench . -benchmem -count "$count"
go test ./internal/engine -run '^$' -bench Apply -benchmem -benchtime 2000000x -count "$count"
go test ./internal/engine -run '^$' -bench History -benchmem -benchtime 100000x -count "$count"
# GOGC as the command sets it for a file of that size.
GOGC=400 go test ./internal/replay -run '^$' -bench Million -benchtime 3x -count "$count"
go test ./internal/traffic -run '^$' -bench . -benchmem -count "$count"

# The service, with what it is compared with in the same run: about fifteen minutes.
go build -o bin/recoup ./cmd/recoup
for store in pebble postgres; do
	for load in "64 1" "256 1" "16 1" "8 1000"; do
		set -- $load
		bin/recoup bench --store "$store" --clients "$1" --batch "$2" --rounds "$count" --duration 5s --warmup 2s
	done
done
