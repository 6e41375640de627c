# make run: what Recoup is for, in under a minute. make test: everything that
# must hold. Both need Go, make and git, and nothing installed by hand.

GO ?= go
BIN := bin/recoup
OUT := out

.PHONY: build run tools test test-long lint bench accuracy clean

build:
	$(GO) build -o $(BIN) ./cmd/recoup

run: build
	@sh scripts/run.sh $(BIN) $(OUT)

# The Debian packages that tests run against the real thing of: PostgreSQL,
# hledger and beancount. Installed where they are missing.
tools:
	@sh scripts/tools.sh

test: tools build lint
	$(GO) vet ./...
	$(GO) test ./...

# Longer searches: more random traces, longer sequences, every fuzz target.
test-long: tools
	sh scripts/long.sh

lint:
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo "run gofmt -w on these files"; exit 1; }
	$(GO) tool -modfile=tools/go.mod staticcheck ./...

# How often the auditor and the prober are right: the figures of docs/accuracy.md,
# in about half an hour on two processors.
accuracy: build
	$(BIN) lab accuracy --markdown docs/accuracy.md

bench: tools
	sh scripts/bench.sh

clean:
	rm -rf bin $(OUT)
