# The commands of the repository. `make help` lists them.

.DEFAULT_GOAL := help
.PHONY: help setup demo picture bench test test-fast test-release check lint format warnings negative typecheck portability examples tsan asan docs stress clean

# A crash's backtrace takes minutes to symbolicate on Linux, and the tests crash on purpose (exit tests).
export SWIFT_BACKTRACE := enable=no

SWIFT_TEST_FLAGS ?=
BENCH_FLAGS ?=
FILTER ?=
COMMIT = $(shell git rev-parse --short HEAD)

# The figures of a whole run are kept with the commit at which they were measured; those of a part are not.
BENCH_RESULT = $(if $(FILTER),.build/bench.json,Benchmarks/results/$(COMMIT).json)
STRESS_ROUNDS ?= 3
SWIFT_FOLDERS := $(wildcard Sources Tests Demo Benchmarks Examples Scripts)

# One test after the other: many wait with their thread for what another thread does, and a machine of two cores has two
# threads for all of Swift's tasks.
TEST_FLAGS := --no-parallel

# `make test-fast` leaves out what takes long: random histories, simulated faults, and programs that run compilers.
FAST_FLAGS := --skip '^StressTests' --skip '^FaultTests' --skip '^ArchitectureTests' --skip '^DemoTests.*(ProgramTests|ScreenTests|TmuxTests)'

# The optimizer moves releases: what a lock protects was released before the unlock in release builds only. So the
# stress, oracle and storm tests run in a release build, too. The package has no other tests then: see Package.swift.
RELEASE_FLAGS := -c release --scratch-path .build-release -Xswiftc -enable-testing

# `make check` builds in a folder of its own, where a warning is an error: a file that warns is never up to date, so
# that an incremental build tells the truth.
CHECK_FLAGS := --scratch-path .build-check -Xswiftc -warnings-as-errors
CHECK_PRODUCTS := .build-check/debug

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

setup: ## install what the package needs (SQLite's development files), when it is missing
	@Scripts/setup.sh

demo: setup ## build and run the demo
	@swift run Demo

picture: setup ## run the demo for some seconds, and draw its screen: Documentation/dashboard.svg
	@swift build --product Demo
	@Scripts/picture.py --title 'The demo: live queries in a terminal' Documentation/dashboard.svg .build/debug/Demo

bench: setup ## compare the library with bare C; FILTER='insert' narrows it, BENCH_FLAGS='--rounds 20' adds
	@for product in StartBare StartLibrary Benchmarks; do \
	  mkdir -p .build; swift build -c release --product $$product >.build/bench.log 2>&1 || { cat .build/bench.log; exit 1; }; done
	@.build/release/Benchmarks --json $(BENCH_RESULT) --commit $(COMMIT) $(BENCH_FLAGS) $(FILTER)

test: setup ## run the tests; SWIFT_TEST_FLAGS='--filter …' narrows them; the log is .build/test.log
	@Scripts/test.sh $(TEST_FLAGS) $(SWIFT_TEST_FLAGS)

test-fast: setup ## run the tests that take less than a minute together: no stress, faults, compilers or terminals
	@Scripts/test.sh $(TEST_FLAGS) $(FAST_FLAGS) $(SWIFT_TEST_FLAGS)

test-release: setup ## run the stress, oracle and storm tests in a release build
	@TIDEMARK_RELEASE_TESTS=1 LOG=.build-release/test.log Scripts/test.sh $(RELEASE_FLAGS) $(TEST_FLAGS) $(SWIFT_TEST_FLAGS)

check: lint warnings negative typecheck portability examples ## everything a change must pass
	@LOG=.build-check/test.log Scripts/test.sh $(CHECK_FLAGS) $(TEST_FLAGS) $(SWIFT_TEST_FLAGS)
	@$(CHECK_PRODUCTS)/Demo > .build-check/demo.log || { cat .build-check/demo.log; exit 1; }
	@echo 'check: all of it holds'

lint: ## say where the formatter would write otherwise
	@swift format lint --strict --recursive $(SWIFT_FOLDERS)

format: ## have the formatter write
	@swift format --in-place --recursive $(SWIFT_FOLDERS)

warnings: setup ## build library, tests and demo; a warning is an error
	@swift build --build-tests $(CHECK_FLAGS)

negative: warnings ## what must not compile does not
	@Tests/Negative/run.sh $(CHECK_PRODUCTS)

typecheck: warnings ## the compiler is quick with long expressions of the query interface
	@Tests/TypeChecking/run.sh $(CHECK_PRODUCTS)

portability: warnings ## programs run on a libsqlite3 that lacks the optional interfaces
	@Scripts/check-optional-sqlite.sh $(CHECK_PRODUCTS)

examples: setup ## build the packages in Examples, and use each of them once
	@Scripts/examples.sh

tsan: setup ## run the tests under the thread sanitizer
	@Scripts/sanitize.sh thread $(TEST_FLAGS) $(SWIFT_TEST_FLAGS)

asan: setup ## run the tests under the address and leak sanitizers
	@Scripts/sanitize.sh address $(TEST_FLAGS) $(SWIFT_TEST_FLAGS)

docs: setup ## build the documentation sites of Tidemark and SQLiteDB into .build/docs
	@swift build --product SQLiteDB
	@Scripts/docs.sh

stress: setup ## run the tests STRESS_ROUNDS times, randomised ones with another seed each time
	@Scripts/stress.sh $(STRESS_ROUNDS) $(TEST_FLAGS) $(SWIFT_TEST_FLAGS)

clean: ## remove everything that was built
	@rm -rf .build .build-check .build-tsan .build-asan .build-examples .build-release
