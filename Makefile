# One command before a commit: make check. CI runs the same one.
GO      ?= go
BIN     := bin/cbc-otel
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
# Without it gRPC brings a web page of its own along.
TAGS    := grpcnotrace
LDFLAGS := -s -w -X main.version=$(VERSION)
FUZZTIME ?= 20s

.PHONY: build check fmt vet lint test cross mutants demo fuzz bench compare browser e2e e2e-sdk dist dist-check clean

build: $(BIN)

.PHONY: $(BIN)
$(BIN):
	CGO_ENABLED=0 $(GO) build -tags $(TAGS) -ldflags '$(LDFLAGS)' -o $@ ./cmd/cbc-otel

check: fmt vet lint cross test mutants

fmt:
	@out="$$(git ls-files '*.go' | xargs gofmt -l)"; test -z "$$out" || { echo "run gofmt -w on:"; echo "$$out"; exit 1; }

vet:
	$(GO) vet ./...

lint:
	$(GO) tool -modfile=tools/go.mod staticcheck ./...

test:
	$(GO) test -race -timeout 30m ./...

# The platforms people run it on must at least compile, tests too.
cross:
	@for t in linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64; do \
		echo "build $$t"; \
		GOOS=$${t%/*} GOARCH=$${t#*/} CGO_ENABLED=0 $(GO) build -o /dev/null ./... || exit 1; \
	done
	@for os in darwin windows; do \
		echo "vet $$os (with tests)"; \
		GOOS=$$os GOARCH=amd64 CGO_ENABLED=0 $(GO) vet ./... || exit 1; \
	done

# Deliberate faults behind build tags; a fault that no test catches fails the target.
mutants:
	./test/mutants.sh

demo: build
	$(BIN) demo

# Every fuzz target in turn, FUZZTIME each; the committed seeds run in plain `make test`.
fuzz:
	./test/fuzz.sh $(FUZZTIME)

# The table of docs/performance.md, and how it differs from the last recorded run.
bench: build
	$(GO) run ./bench -wrapper $(BIN) -raw bin/bench.txt
	$(GO) tool -modfile=tools/go.mod benchstat bench/recorded.txt bin/bench.txt

# What the programs of others make of the same input: the collector's processors, a renderer of Markdown.
compare:
	cd test/collector && $(GO) vet ./... && $(GO) test ./...
	cd test/markdown && $(GO) vet ./... && $(GO) test ./...

# The page of traces in a real Chromium (Debian: apt-get install chromium). Without it: BROWSER_SKIP=1. Pictures are
# left in test/browser/shots.
browser:
	cd test/browser && $(GO) vet ./... && $(GO) test -timeout 15m -count=1 .

# Real Jaeger and collector, built from their modules, and the real CLIs and SDKs, from npm. Without npm:
# E2E_SKIP_NPM=1.
e2e:
	cd test/e2e && $(GO) vet ./... && $(GO) test -timeout 50m -v ./...

# The SDKs alone.
e2e-sdk:
	cd test/e2e && $(GO) test -timeout 30m -v -run '^TestSDK' .

# docker-compose.yml, deploy/ and what is written about them agree; quick, nothing has to be built.
compose:
	cd test/e2e && $(GO) test -run '^Test(Compose|Dashboard)' .

# What is handed out, in dist/: programs for all platforms, man pages, completions, SBOM, checksums.
dist:
	VERSION='$(VERSION)' GO='$(GO)' ./tools/dist.sh dist

# Two builds from two places are the same bytes. Takes as long as it sounds.
dist-check:
	GO='$(GO)' ./test/dist.sh

clean:
	rm -rf bin dist
