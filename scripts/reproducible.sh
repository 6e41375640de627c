#!/bin/sh
# Builds the last commit in two folders, one deeper than the other, and compares the
# binaries. GO is the go command.
set -eu
root=$(git rev-parse --show-toplevel)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for folder in "$work/one" "$work/some/where/else"; do
	git clone --quiet --no-hardlinks "$root" "$folder"
	git -C "$folder" checkout --quiet --detach "$(git -C "$root" rev-parse HEAD)"
	(cd "$folder" && CGO_ENABLED=0 GOFLAGS=-trimpath ${GO:-go} build -o "$work/recoup" ./cmd/recoup)
	sha256sum <"$work/recoup" >>"$work/sums"
done
if [ "$(sort -u "$work/sums" | wc -l)" != 1 ]; then
	echo "the same commit built in two folders is not the same binary:" >&2
	cat "$work/sums" >&2
	exit 1
fi
echo "built in two folders: $(head -n 1 "$work/sums" | cut -d' ' -f1), twice"
