# What is worth typing often. The steps themselves are in .ci/run.

GO ?= go
.DEFAULT_GOAL := help

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: check
check: ## what to run before a commit: lint and all tests
	.ci/run format vet staticcheck test

.PHONY: test
test: ## all tests, of all modules
	.ci/run test

.PHONY: race
race: ## the tests of typed layer and engine with the race detector
	.ci/run race

.PHONY: clients
clients: ## clients of other languages against the server, installing them
	clients/run

.PHONY: clients-cli
clients-cli: ## the AWS CLI against the server
	clients/run cli

.PHONY: clients-boto3
clients-boto3: ## boto3, the SDK for Python, against the server
	clients/run boto3

.PHONY: clients-js
clients-js: ## the SDK for JavaScript against the server
	clients/run js

.PHONY: fuzz
fuzz: ## every fuzz target for FUZZTIME, 10s by default
	.ci/run fuzz

.PHONY: bench
bench: ## the benchmarks in rounds, compared with limits and peers: docs/performance.md
	bench/run

.PHONY: bench-dynalite
bench-dynalite: ## the server beside dynalite, installing it
	bench/run dynalite

.PHONY: bench-large
bench-large: ## tables of a million items
	bench/run -n 1 large

.PHONY: golden
golden: ## write the golden files anew; review the difference like code
	$(GO) test -count=1 . ./design ./examples/design ./examples/shop -update
	$(GO) test -count=1 ./memory/internal/expr ./memory/internal/eval -rewrite

.PHONY: cover
cover: ## coverage of all packages by all tests, function by function, in cover.out
	$(GO) test -coverpkg=./... -coverprofile=cover.out ./...
	$(GO) tool cover -func=cover.out

.PHONY: lint
lint: ## formatting, vet, staticcheck and the rules of this repository
	.ci/run format vet staticcheck
	$(GO) test ./internal/lint

.PHONY: ci
ci: ## the whole gate
	.ci/run
