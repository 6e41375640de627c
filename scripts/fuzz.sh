#!/bin/sh
# Runs every fuzz target of the module for the given time each.
set -eu
time=${1:-60s}
go list -f '{{$p := .ImportPath}}{{range .TestGoFiles}}{{$p}} {{$.Dir}}/{{.}}
{{end}}{{range .XTestGoFiles}}{{$p}} {{$.Dir}}/{{.}}
{{end}}' ./... | while read -r package file; do
	[ -n "$file" ] || continue
	grep -o '^func Fuzz[A-Za-z0-9_]*' "$file" | cut -c6- | while read -r target; do
		echo "== $package $target"
		go test "$package" -run '^$' -fuzz "^$target\$" -fuzztime "$time" </dev/null
	done
done
