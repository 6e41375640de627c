#!/bin/sh
# The tests of the generated clients: that in Go always, those in Python and TypeScript where
# there is python3 or node, and a line that says so where there is not. Any node from 18.20 on
# does: esbuild, a tool in Go, takes the types off the client in TypeScript. Whether these are
# right is for scripts/types.sh.
# The arguments are the program to test against and the command go.
set -eu
cd "$(dirname "$0")/../clients"
program=$1
go=${2:-go}

(cd go && "$go" vet ./... && RECOUP_PROGRAM=$program "$go" test -count=1 ./...)

if command -v python3 >/dev/null 2>&1 && python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
	(cd python && RECOUP_PROGRAM=$program PYTHONDONTWRITEBYTECODE=1 python3 -m unittest discover -q -s tests)
else
	echo "left out: the tests of the client in Python, since there is no python3 of 3.11 or later"
fi

# node_is reports whether there is a node of this version or later.
node_is() {
	node -e 'const [a, b] = process.versions.node.split(".").map(Number), [c, d] = process.argv.slice(1).map(Number); process.exit(a > c || (a === c && b >= d) ? 0 : 1)' "$1" "$2" 2>/dev/null
}
if ! node_is 18 20; then
	echo "left out: the client in TypeScript, since there is no node of 18.20 or later"
	exit 0
fi
cd typescript
find src test quickstart.ts -name '*.ts' -exec "$go" tool -modfile=../../tools/go.mod esbuild --format=esm --platform=node --log-level=warning --outbase=. --outdir=dist {} +
node_is 20 0 || export NODE_OPTIONS=--experimental-global-webcrypto # which is not global in 18 yet
RECOUP_PROGRAM=$program node --test dist/test/*.test.js > dist/test.log || {
	cat dist/test.log
	exit 1
}
cd ../..
RECOUP_NODE=1 RECOUP_PROGRAM=$program "$go" test -vet=off -count=1 ./e2e -run '^TestQuickStarts$/^typescript$'
