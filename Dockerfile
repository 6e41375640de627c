# The service as one static binary in an empty image: no shell, no packages, not
# root. Nothing is pulled for it, so there is no other image whose digest would have to
# be trusted: the binary is that of `make build`, which is the same wherever the same
# commit is built (`make reproducible`). The database is a folder in the volume /data
# unless --db says otherwise:
#
#   make image
#   docker run -v recoup:/data -p 8080:8080 recoup
#   docker run -v recoup:/data recoup keys create --db /data/ledger --role admin --name operator
#
# There is nothing in the image that could ask for /healthz from inside: have the
# orchestrator ask for it, and for /readyz before it sends requests. Deploy it by the
# digest that the registry has given it, not by a tag.

FROM scratch
# For webhooks, PostgreSQL and collectors of traces that are reached by TLS.
COPY certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY NOTICE LICENSE recoup.cdx.json /usr/share/doc/recoup/
COPY recoup /recoup
COPY --chown=65532:65532 data /data
USER 65532:65532
WORKDIR /data
# An empty image has no /tmp.
ENV TMPDIR=/data
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
ENTRYPOINT ["/recoup"]
# Whoever runs it has a proxy in front that ends TLS, or gives other arguments.
CMD ["serve", "--db", "/data/ledger", "--listen", ":8080", "--insecure"]
