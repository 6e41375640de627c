#!/bin/sh
# Gives the module another path, in one go: scripts/rename-module.sh example.com/rewards/recoup
# Until the project has a home its path is one that nobody can fetch, and nobody register.
set -eu
cd "$(dirname "$0")/.."

new=${1:-}
old=$(sed -n 's/^module //p' go.mod)
case $new in
*[!A-Za-z0-9._~/-]* | /* | */ | *//* | '')
	echo "usage: $0 PATH, such as example.com/rewards/recoup; found \"$new\"" >&2
	exit 2
	;;
"$old")
	echo "$0: the module is $old already" >&2
	exit 2
	;;
esac

# Only a quoted path below the module is one: the program is called recoup, too.
rooms='clients|cmd|e2e|event|examples|internal|ledger|program|reward|source|tools'
git ls-files -z -- '*.go' 'docs/*.md' | xargs -0 grep -lZE "\"$old/($rooms)" |
	xargs -0 sed -i -E "s#\"$old/($rooms)#\"$new/\\1#g"
sed -i -E "s#^module $old\$#module $new#" go.mod
sed -i -E "s#^(module |	)$old/tools#\\1$new/tools#" tools/go.mod
sed -i -E "s#^module $old/clients#module $new/clients#" clients/go/go.mod
sed -i -E "s#(^|[ \`(])$old (=>|v0)#\\1$new \\2#g; s#-replace $old=#-replace $new=#g; s#-require $old@#-require $new@#g" docs/library.md
sed -i -E "s#(^|[ \`\"])$old/clients/go#\\1$new/clients/go#g" clients/go/README.md
git ls-files -z -- '*.go' | xargs -0 gofmt -w # imports are sorted by path
echo "the module is $new; build it with: go build ./... && go vet ./..."
