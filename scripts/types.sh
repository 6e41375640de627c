#!/bin/sh
# Whether the types of the client in TypeScript are right, and what is generated for it is
# current: where there is npm with node 20.19, and a line that says so where there is not. Debian's
# own packages of npm are hundreds, so nothing is installed for it but what the lock file of the
# client names.
set -eu
cd "$(dirname "$0")/../clients/typescript"

if ! command -v npm >/dev/null 2>&1 ||
	! node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)'; then
	echo "left out: the types of the client in TypeScript and whether it is current, since there is no npm with node 20.19"
	exit 0
fi
# What was installed from this lock file is there already the second time.
[ node_modules/.package-lock.json -nt package-lock.json ] ||
	npm ci --ignore-scripts --no-fund --no-audit --loglevel=error
before=$(mktemp -d)
trap 'rm -rf "$before"' EXIT
cp -R src/api "$before"
npm run --silent generate
diff -r "$before/api" src/api || {
	echo "clients/typescript/src/api was not what the document makes of it; it is now: make clients does all of them" >&2
	exit 1
}
npm run --silent build
