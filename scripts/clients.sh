#!/bin/sh
# The generated clients: that in Go always, those in Python and TypeScript where there is
# what they need, and a line that says so where there is not. Debian's own packages of npm are
# hundreds, so nothing is installed for it but what the lock file of the client names.
# The arguments are the program to test against and the command go.
set -eu
cd "$(dirname "$0")/../clients"
program=$1
go=${2:-go}

(cd go && "$go" vet ./... && RECOUP_PROGRAM=$program "$go" test -count=1 ./...)

if command -v python3 >/dev/null 2>&1 && python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
	(cd python && PYTHONDONTWRITEBYTECODE=1 python3 -m unittest discover -q -s tests)
else
	echo "left out: the tests of the client in Python, since there is no python3 of 3.11 or later"
fi

newer='const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)'
if ! command -v npm >/dev/null 2>&1 || ! node -e "$newer" 2>/dev/null; then
	echo "left out: the client in TypeScript and the linter of the document, since there is no npm with node 20.19 or later"
	exit 0
fi
cd typescript
# What was installed from this lock file is there already the second time.
[ node_modules/.package-lock.json -nt package-lock.json ] ||
	npm ci --ignore-scripts --no-fund --no-audit --loglevel=error
npm run --silent lint
before=$(mktemp -d)
trap 'rm -rf "$before"' EXIT
cp -R src/api "$before"
npm run --silent generate
diff -r "$before/api" src/api || {
	echo "clients/typescript/src/api was not what the document makes of it; it is now: make clients does all of them" >&2
	exit 1
}
npm run --silent build
npm test --silent
cd ../..
RECOUP_NODE=1 RECOUP_PROGRAM=$program "$go" test -vet=off -count=1 ./e2e -run '^TestQuickStarts$/^typescript$'
