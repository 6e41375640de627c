#!/bin/sh
# The figures of docs/performance.md. On a shared machine run it when nothing
# else runs; every comparison is between figures of one run.
set -eu
go version
echo "$(nproc) x $(grep -m1 'model name' /proc/cpuinfo 2>/dev/null | cut -d: -f2)"
count=${COUNT:-3}
go test ./event -run '^$' -bench . -benchmem -count "$count"
go test ./engine -run '^$' -bench Apply -benchmem -benchtime 2000000x -count "$count"
go test ./engine -run '^$' -bench History -benchmem -benchtime 100000x -count "$count"
# GOGC as the command sets it for a file of that size.
GOGC=400 go test ./replay -run '^$' -bench Million -benchtime 3x -count "$count"
go test ./traffic -run '^$' -bench . -benchmem -count "$count"
