# make run: what Recoup is for, in under a minute. make test: everything that
# must hold. Both need Go, make and git, and nothing installed by hand.

GO ?= go
BIN := bin/recoup
OUT := out

.PHONY: build run test test-long lint bench clean

build:
	$(GO) build -o $(BIN) ./cmd/recoup

run: build
	@sh scripts/run.sh $(BIN) $(OUT)

test: build lint
	$(GO) vet ./...
	$(GO) test ./...

# Longer searches: more random traces, longer sequences, every fuzz target.
test-long: build
	RECOUP_LONG=1 $(GO) test -timeout 120m -count=1 ./... -rapid.checks=5000
	sh scripts/fuzz.sh 60s

lint:
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo "run gofmt -w on these files"; exit 1; }
	$(GO) tool -modfile=tools/go.mod staticcheck ./...

bench: build
	sh scripts/bench.sh $(BIN) $(OUT)

clean:
	rm -rf bin $(OUT)
