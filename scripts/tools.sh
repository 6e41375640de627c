#!/bin/sh
# Programs that the tests run against: PostgreSQL, a pooler for it, two plain-text
# accounting tools that have to accept the exported journal, the browser that shows
# the console, with letters to show it in, and node (50 MB, without npm) for the client in
# TypeScript. Installs Debian's packages of those that are
# missing; does nothing when all are there.
set -eu

missing=
ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null 2>&1 || missing="$missing postgresql"
command -v pgbouncer >/dev/null 2>&1 || [ -x /usr/sbin/pgbouncer ] || missing="$missing pgbouncer"
command -v hledger >/dev/null 2>&1 || missing="$missing hledger"
command -v bean-check >/dev/null 2>&1 || missing="$missing beancount"
command -v chromium >/dev/null 2>&1 || missing="$missing chromium"
command -v node >/dev/null 2>&1 || missing="$missing nodejs"
command -v kcat >/dev/null 2>&1 || missing="$missing kcat"
ls /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf >/dev/null 2>&1 || missing="$missing fonts-dejavu-core"
[ -n "$missing" ] || exit 0

refuse() {
	echo "The tests need$missing, and $1." >&2
	echo "Install them (on Debian or Ubuntu: apt-get install$missing) and try again." >&2
	exit 1
}

command -v apt-get >/dev/null 2>&1 || refuse "this system has no apt-get to install them with"
if [ "$(id -u)" -eq 0 ]; then
	as_root=
elif command -v sudo >/dev/null 2>&1; then
	as_root="sudo"
else
	refuse "only root may install them, and there is no sudo"
fi

echo "Installing what the tests need:$missing"
install() {
	# Debian starts a server of its own when postgresql is installed, unless it is
	# told not to; the tests start theirs.
	$as_root env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 \
		apt-get install -y -q --no-install-recommends $missing >&2
}
install || { $as_root apt-get update -q >&2 && install; } || refuse "apt-get could not install them"
