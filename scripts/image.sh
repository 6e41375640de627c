#!/bin/sh
# Makes the image recoup of the binary BIN, with what else it needs put together in
# OUT/image: the certificates of this machine, and an empty folder for the database.
# DOCKER may name another builder that takes the same flags: podman, or buildah.
set -eu
certificates=${SSL_CERT_FILE:-/etc/ssl/certs/ca-certificates.crt}
folder=$OUT/image
rm -rf "$folder"
mkdir -p "$folder/data"
cp "$BIN" "$folder/recoup"
cp "$BIN.cdx.json" NOTICE LICENSE "$certificates" "$folder"
mv "$folder/$(basename "$certificates")" "$folder/certificates.crt"
chmod 755 "$folder/recoup"
"${DOCKER:-docker}" build --tag recoup --file Dockerfile "$folder"
