#!/bin/sh
# Looks for known vulnerabilities in what the program calls. Where the database of them
# cannot be reached it says so and succeeds: that is no fault of what is checked. GO is
# the go command.
set -u
said=$(mktemp)
trap 'rm -f "$said"' EXIT
${GO:-go} tool -modfile=tools/go.mod govulncheck ./... >"$said" 2>&1
code=$?
cat "$said"
if [ $code != 0 ] && grep -Eq 'vuln\.go\.dev|fetching vulnerabilities' "$said" && ! grep -q '^Vulnerability #' "$said"; then
	echo "the database of vulnerabilities cannot be reached from here: nothing was checked"
	exit 0
fi
exit $code
