# make run: what Recoup is for, in under a minute. make test: every test that is quick.
# make check: what must hold and is no test of the program. All need Go, make and git, and
# nothing installed by hand. .ci/run does both of the last two.

GO ?= go
BIN := bin/recoup
OUT := out

# One static binary that needs nothing, tested as it is released: in no package is C
# compiled, which would take longer than all of ours.
export CGO_ENABLED := 0

# No path of this folder is in the binary, so that it is the same wherever it is built;
# tests are built alike, or nothing of it could be used for them again.
export GOFLAGS := -trimpath $(GOFLAGS)

.PHONY: build sbom notice reproducible vuln image run tools test tests alone computed beside cost raced check vet types test-long proof proof-test lint docs bench accuracy truth screenshots clean clients test-clients

# out/ is where the commands in the documents write to. Beside the binary is what it is
# made of: $(BIN).cdx.json, in CycloneDX.
build:
	$(GO) build -o $(BIN) ./cmd/recoup
	@mkdir -p $(OUT)
	@$(MAKE) --no-print-directory sbom

SUPPLY = cd tools && $(GO) tool supply
sbom:
	@$(SUPPLY) sbom $(CURDIR) $(CURDIR)/$(BIN)

# The licences of what is in the binary. A test says when it is to be made anew.
notice:
	$(SUPPLY) notice $(CURDIR)

# The last commit, built in two folders, is the same binary.
reproducible:
	@GO="$(GO)" sh scripts/reproducible.sh

# What is known against what is in the binary, as far as the database of that can be
# reached from here.
vuln:
	@GO="$(GO)" sh scripts/vuln.sh

# The binary in an image: nothing else is in it, and nothing is pulled for it.
image: build
	@BIN="$(BIN)" OUT="$(OUT)" sh scripts/image.sh

run: build
	@sh scripts/run.sh $(BIN) $(OUT)

# The Debian packages that tests run against the real thing of: PostgreSQL, pgbouncer,
# hledger, beancount, chromium and node. Installed where they are missing.
tools:
	@sh scripts/tools.sh

# Installing waits for other things than compiling does, and what goes wrong on purpose than
# computing does, so each two are done side by side.
test:
	@$(MAKE) --no-print-directory -j2 tools build raced
	@$(MAKE) --no-print-directory -o build -o raced tests
	@$(MAKE) --no-print-directory -o build -o raced -j3 alone computed beside

# Twice as many packages at a time as there are processors, and tests in each: most
# wait for disks, servers and browsers. The packages that take longest come first, so that
# none is left alone in the end. Those that run the program run the one that was just built.
LONGEST = ./e2e ./cmd/recoup ./internal/store/shards ./internal/store/durable ./internal/probe ./internal/console ./e2e/browser
TWICE = $(shell expr 2 '*' "$$(getconf _NPROCESSORS_ONLN)")
# Garbage is collected less often, which costs memory in place of the processor: what runs at the
# same time has some gigabytes at most.
TESTS = GOGC=1000 RECOUP_PROGRAM=$(CURDIR)/$(BIN) RECOUP_RACED=$(wildcard $(CURDIR)/$(BIN)-race) \
	$(GO) test -vet=off -timeout 20m -p $(TWICE) -parallel $(TWICE)
# How late others are when something goes wrong is a figure, and of the machine alone
# as long as all else is tested beside it: that comes last. It waits more than it computes, so
# what computes alone is done beside it, with what it leaves of the processors (see nice(1)).
ALONE = '^(TestChaos|TestTheOthersGoOn.*)$$'
COMPUTES = recoup/reward
tests: build raced
	$(TESTS) -skip $(ALONE) $(LONGEST) $$($(GO) list ./... | grep -vx $(COMPUTES))

alone: build raced
	$(TESTS) -run $(ALONE) ./e2e

computed: build raced
	nice -n 19 env $(TESTS) $(COMPUTES)

beside: build
	@nice -n 19 $(MAKE) --no-print-directory -o build test-clients

# What the tests of each package cost, the dearest first: seconds of a processor in user and in
# system mode, with servers and browsers, and seconds by the clock. Nothing comes from the cache.
cost: build raced
	cd tools && $(GO) build -o $(CURDIR)/$(OUT)/cost ./cost
	rm -f $(OUT)/cost.txt
	$(TESTS) -count=1 -exec "$(CURDIR)/$(OUT)/cost $(CURDIR)/$(OUT)/cost.txt" ./e2e ./...
	@sort -rn $(OUT)/cost.txt

# The program under the race detector, which a test runs where there is a C
# compiler to build it with, which the detector needs. Nothing in a build takes longer.
raced:
	@! command -v gcc >/dev/null || CGO_ENABLED=1 $(GO) build -race -o $(BIN)-race ./cmd/recoup

# What is read and not run: the code by vet and staticcheck, its form, the documents, and the
# types of the client in TypeScript.
check: vet lint types

vet:
	$(GO) vet ./...

# The document of the API, as a service answers with it, and the clients that are made of
# it. That of TypeScript needs node 20.19 or later, and npm.
clients:
	RECOUP_UPDATE=1 $(GO) test -vet=off -count=1 ./internal/service/server -run '^TestTheDocumentOfTheClientsIsServed$$'
	$(GO) tool -modfile=tools/go.mod oapi-codegen -config clients/go/oapi-codegen.yaml -o clients/go/api.gen.go clients/openapi.json
	cd tools && $(GO) tool pyclient ../clients/openapi.json ../clients/python/recoup/api.py
	cd clients/typescript && npm ci --ignore-scripts --no-fund --no-audit && npm run generate

# Their own tests. What is left out is said.
test-clients: build
	@sh scripts/clients.sh $(CURDIR)/$(BIN) $(GO)

# Where there is npm, whether the types of TypeScript are right and what is generated for it is
# current.
types:
	@sh scripts/types.sh

# Longer searches: more random traces, longer sequences, every fuzz target.
test-long: tools
	sh scripts/long.sh

# The theorems of proof/, checked by Coq, which is installed where it is missing.
proof:
	@OUT="$(CURDIR)/$(OUT)" sh scripts/proof.sh

# The proven model, extracted, beside the engine on ten thousand random accounts.
proof-test: build
	@OUT="$(CURDIR)/$(OUT)" sh scripts/proof.sh "$(CURDIR)/$(OUT)/model"
	RECOUP_MODEL=$(CURDIR)/$(OUT)/model RECOUP_PROGRAM=$(CURDIR)/$(BIN) $(GO) test -count=1 -v ./proof

lint: docs
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo "run gofmt -w on these files"; exit 1; }
	$(GO) tool -modfile=tools/go.mod staticcheck ./...

# What documents name is there: files, headings, Go names, quoted code. Words that are
# often misspelled are not; those after -i are somebody's file and no English. The tests are of
# files of other modules, which a cached answer would not know to have changed.
DOCUMENTS = $$(cd .. && git ls-files -co --exclude-standard -- '*.md' | sed 's|^|../|')
docs:
	@cd tools && $(GO) vet ./... && $(GO) test -count=1 ./...
	@cd tools && $(GO) tool doccheck ..
	@cd tools && $(GO) tool misspell -error -i supermarkt $(DOCUMENTS)

# How often the auditor and the prober are right: the figures of docs/accuracy.md,
# in about a quarter of an hour on two processors, and some minutes for designs of others.
accuracy: build
	$(BIN) lab accuracy --markdown docs/accuracy.md
	$(BIN) lab foreign --markdown docs/accuracy.md

# What accounts keep whose refunds lost their links, against what they truly kept:
# figures of docs/accuracy.md, in a minute or two.
truth: build
	$(BIN) lab truth --markdown docs/accuracy.md

# The pictures of the console that the documents show, of the sample data.
screenshots: tools
	RECOUP_SCREENSHOTS=$(CURDIR)/docs/pictures $(GO) test ./e2e -run '^TestScreenshots$$' -count=1 -v

bench: tools
	sh scripts/bench.sh

clean:
	rm -rf bin $(OUT)
