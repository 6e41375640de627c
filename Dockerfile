# The service as one static binary in an empty image: no shell, no packages, not
# root. The database is a folder in the volume /data unless --db says
# otherwise:
#
#   docker build -t recoup .
#   docker run -v recoup:/data -p 8080:8080 recoup
#   docker run -v recoup:/data recoup keys create --db /data/ledger --scope admin --name operator
#
# There is nothing in the image that could ask for /healthz from inside: have the
# orchestrator ask for it, and for /readyz before it sends requests.

FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags="-s -w" -o /out/recoup ./cmd/recoup && mkdir /out/data

FROM scratch
# For webhooks, PostgreSQL and collectors of traces that are reached by TLS.
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /out/recoup /recoup
COPY --from=build --chown=65532:65532 /out/data /data
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
