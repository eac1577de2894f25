# Debian packages that building, testing and checking need beside Go, git and make.
# gcc and libc6-dev: the race detector links with a C compiler (make lint), and
# SPIN's verifiers are C programs. spin: a second opinion on exported programs; the
# tests that ask it are skipped with a notice where it is missing. graphviz: does the
# DOT we write draw? chromium: do our pages work in a browser?
# neovim: does the language server work in an editor? nodejs: does the extension of VS Code run?
# g++, clang, rustc, libc++-dev and libc++abi-dev: machine code that is checked (make test, make fuzz). patch: does it take our diffs?
# z3: proofs for any number of threads, and cvc5: a second opinion on them. cadical and minisat: a second opinion on what the embedded solver says.
DEBIAN_PACKAGES := gcc g++ clang libc6-dev patch spin graphviz chromium neovim nodejs cadical minisat z3 cvc5 rustc valgrind libc++-dev libc++abi-dev

GO          ?= go
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2

# Packages that run goroutines of their own.
PARALLEL := ./internal/search ./internal/engine/explicit ./internal/engine/robust ./internal/engine/smc ./internal/engine/rf ./internal/question/check ./internal/suite ./internal/serve
# Fuzz targets, as package:target.
PARSERS  := ./internal/ir/irtext:FuzzParse ./internal/frontend/fp:FuzzParse ./internal/frontend/fp:FuzzFences \
            ./internal/frontend/trencher:FuzzParse ./internal/frontend/trencher:FuzzFences ./internal/frontend/memorax:FuzzParse ./internal/frontend/memorax:FuzzFences \
            ./internal/frontend/litmus:FuzzParse ./internal/frontend/litmus:FuzzC \
            ./internal/frontend/c:FuzzParse .:FuzzCheckpoint .:FuzzStateSearch .:FuzzMerge ./internal/cli:FuzzBaseline ./internal/explorer:FuzzAsk \
            ./internal/render/json:FuzzRead ./internal/frontend/elf/object:FuzzLoad ./internal/frontend/elf:FuzzParse \
            ./internal/lang/c/preprocess:FuzzPreprocess ./internal/lang/c/parse:FuzzParse

FUZZ_PROGRAMS ?= 20000
FUZZ_ROBUST   ?= 5000
FUZZ_BMC      ?= 3000
FUZZ_TRACES   ?= 5000
FUZZ_RACES    ?= 5000
FUZZ_FINALS   ?= 2000
FUZZ_DUAL     ?= 5000
FUZZ_CLIENTS  ?= 210
FUZZ_LOOPING  ?= 2000
FUZZ_MOVER    ?= 3000
FUZZ_MOVER_C  ?= 1000
FUZZ_MUTANTS  ?= 1000
FUZZ_PARAM    ?= 2500
FUZZ_SPIN     ?= 200
FUZZ_LIFT     ?= 10000
FUZZ_MACHINE  ?= 700
FUZZ_CELLS    ?= 1
FUZZ_WALKS    ?= 1000
FUZZ_TREES    ?= 50
FUZZ_KILLS    ?= 100
FUZZ_CLUSTER  ?= 200
FUZZ_DAMAGES  ?= 200
FUZZ_FAULTS   ?= 170
FUZZ_SEED     ?= 1
FUZZ_TIME     ?= 60s

# Seconds per litmus test on the processor.
NATIVE_SECONDS ?= 0.5
# Rounds per library call on the processor, of 2,000 calls each where they are fast.
NATIVE_ROUNDS  ?= 100

.PHONY: site site-test axe paint all build test cpu lint fuzz native musl torture weak-traces answers verdicts speed portfolio limits measure bench bench-spin update deps module
.PHONY: man dist container notices
.PHONY: lint-format lint-vet lint-staticcheck lint-tidy lint-house lint-update lint-race

all: build

build:
	$(GO) build -o bin/fencepost ./cmd/fencepost

# Man pages and completion scripts, for packages.
man:
	$(GO) run ./internal/tool/manual -man dist/man -completions dist/completions

# The playground: the explorer as a directory of static files, for any web host, or to open from the disk.
site:
	$(GO) run ./internal/tool/site -out dist/site

# The browser tests of the explorer, with a server and as the playground.
site-test: site
	$(GO) test ./internal/explorer -count=1 -timeout 120m -fp.site=$(CURDIR)/dist/site -fp.walks=$(FUZZ_WALKS) -fp.rows=$(FUZZ_WALKS)

# How soon the explorer is painted, and can be used: with a server, and as the playground.
paint: site
	$(GO) test ./internal/explorer -run '^$$' -bench 'FirstPaint|Playground' -benchtime 5x -fp.site=$(CURDIR)/dist/site

# The same tests of the pages and of the explorer with the rules of axe-core beside our own; npm fetches it.
AXE := axe-core@4.14.0
axe:
	@mkdir -p dist/axe && cd dist/axe && npm install --no-save --prefix . $(AXE)
	$(GO) test ./internal/explorer ./internal/render/html -count=1 -timeout 60m -run 'TestScreens|TestPanes|TestBrowser' -fp.axe=$(CURDIR)/dist/axe/node_modules/axe-core/axe.min.js

# Static binaries of both commands with the licenses of what is linked in, SPDX documents and checksums. The version in
# the binaries comes from the tag or commit.
PLATFORMS := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64

dist: man
	@set -e; for p in $(PLATFORMS); do \
	  os=$${p%%/*}; arch=$${p##*/}; suffix=; [ $$os != windows ] || suffix=.exe; \
	  echo "dist/fencepost-$$os-$$arch$$suffix"; \
	  CGO_ENABLED=0 GOOS=$$os GOARCH=$$arch $(GO) build -buildvcs=true -trimpath -ldflags '-s -w' -o dist/fencepost-$$os-$$arch$$suffix ./cmd/fencepost; \
	  echo "dist/fencepost-cluster-$$os-$$arch$$suffix"; \
	  (cd $(CLUSTER) && CGO_ENABLED=0 GOOS=$$os GOARCH=$$arch $(GO) build -buildvcs=true -trimpath -ldflags '-s -w' -o ../dist/fencepost-cluster-$$os-$$arch$$suffix ./cmd/fencepost-cluster); \
	done; \
	tar -czf dist/fencepost-docs.tar.gz -C dist man completions; \
	$(MAKE) --no-print-directory notices; \
	cd dist && sha256sum fencepost-* THIRD_PARTY_NOTICES.txt > SHA256SUMS

# The modules that are linked into the two commands on some platform: their licenses, and an SPDX document for each
# command.
MODULES := -deps -f '{{if .Module}}{{if not .Module.Main}}{{.Module.Path}} {{.Module.Version}} {{.Module.Dir}}{{end}}{{end}}'
notices:
	@mkdir -p dist
	@set -e; for p in $(PLATFORMS); do GOOS=$${p%%/*} GOARCH=$${p##*/} $(GO) list $(MODULES) ./cmd/fencepost; done | sort -u > dist/.modules; \
	(cd $(CLUSTER) && for p in $(PLATFORMS); do GOOS=$${p%%/*} GOARCH=$${p##*/} $(GO) list $(MODULES) ./cmd/fencepost-cluster; done) | sort -u > dist/.modules-cluster; \
	version=$$(git describe --always --dirty 2>/dev/null || echo unknown); \
	$(GO) run ./internal/tool/notices -version "$$version" -goroot "$$($(GO) env GOROOT)" -goversion "$$($(GO) env GOVERSION)" \
	  -notices dist/THIRD_PARTY_NOTICES.txt fencepost=dist/.modules=dist/fencepost.spdx.json fencepost-cluster=dist/.modules-cluster=dist/fencepost-cluster.spdx.json; \
	rm dist/.modules dist/.modules-cluster

# An image from scratch with the static binary. CONTAINER is podman or docker.
CONTAINER ?= podman
container: dist
	$(CONTAINER) build -f Containerfile -t fencepost .

# Tests make much garbage and keep little memory: collecting it less often saves a fifth of their time.
test cpu: export GOGC = 1000

# The module of fencepost-cluster stands on the main one and has dependencies of its own.
CLUSTER := cluster
# Its tests that the race detector goes through: each part once. Processes that they start are built with it as well.
CLUSTER_RACES := TestSeveral|TestStopped|TestMend/the_queue|TestJobs|TestAwaitEnds|TestForgedRecord|TestViolation|TestCommands|TestServerAway|TestToken
# Its fuzz targets, as package:target.
CLUSTER_PARSERS := ./internal/task:FuzzRecord ./internal/store:FuzzStored

# DEPS=no installs nothing: the tests that need a missing tool are skipped, and counted at the end.
DEPS ?= yes

# No test has a limit of time. At the end stands how many tests were skipped, and why; if FENCEPOST_STRICT is 1, as in
# CI, a test that is skipped for want of a tool is a failure.
test: $(if $(filter no,$(DEPS)),,deps)
	@{ $(GO) test -json -timeout 0 ./...; echo "exit $$?"; \
	   cd $(CLUSTER) && $(GO) test -json -timeout 0 ./...; echo "exit $$?"; } | $(GO) run ./internal/tool/testreport -runs 2

lint: lint-format lint-vet lint-staticcheck lint-tidy lint-house lint-wasm lint-update lint-race

lint-format:
	@files=$$(gofmt -l .); if [ -n "$$files" ]; then echo "not gofmt-clean:"; echo "$$files"; exit 1; fi

lint-vet:
	$(GO) vet ./...
	cd $(CLUSTER) && $(GO) vet ./...

lint-staticcheck:
	$(GO) run $(STATICCHECK) ./...
	cd $(CLUSTER) && $(GO) run $(STATICCHECK) ./...

lint-tidy:
	$(GO) mod tidy -diff
	cd $(CLUSTER) && $(GO) mod tidy -diff

# The rules of the house: imports, sizes, words, documents.
lint-house:
	$(GO) vet -tags policy ./internal/house
	$(GO) test -count=1 -tags policy ./internal/house

# The command must also build for a browser, and the playground must stay small.
lint-wasm:
	GOOS=js GOARCH=wasm $(GO) build -o /dev/null ./cmd/fencepost
	$(GO) run ./internal/tool/site -check

# What the tests expect must be what `make update` writes.
lint-update: update
	git diff --exit-code -- ':(glob)**/testdata/**'

lint-race:
	$(GO) test -race -short -timeout 0 $(PARALLEL)
	cd $(CLUSTER) && $(GO) test -race -timeout 0 -run '$(CLUSTER_RACES)' ./internal/...

# Random programs through every engine and the lowering, the long tests on all their programs, then each
# parser on random bytes.
fuzz:
	$(GO) test ./internal/testkit -count=1 -timeout 120m -v -run 'Explicit|Reduction|Symmetry|Fenced|Weak|ModelsInOrder|Await|Endless|Fair|MemoryErrors|StoresIntoMutexes|Unsupported|ReadsFrom|RobustAgainst|TwoDelays' -fp.programs=$(FUZZ_PROGRAMS) -fp.seed=$(FUZZ_SEED)
	$(GO) test ./internal/testkit -count=1 -timeout 120m -v -run 'RacesAgainstDefinition|FinalStatesAgainst' -fp.races=$(FUZZ_RACES) -fp.finals=$(FUZZ_FINALS) -fp.seed=$(FUZZ_SEED)
	$(GO) test ./internal/engine/robust -count=1 -timeout 120m -v -run 'Definition|SecondDelay|Unrolled|Symmetry' -fp.programs=$(FUZZ_ROBUST) -fp.seed=$(FUZZ_SEED)
	$(GO) test ./internal/engine/instrument ./internal/engine/lazy -count=1 -timeout 120m -v -fp.programs=$(FUZZ_PROGRAMS) -fp.seed=$(FUZZ_SEED)
	$(GO) test ./internal/engine/dual -count=1 -timeout 120m -v -fp.programs=$(FUZZ_DUAL) -fp.looping=$(FUZZ_LOOPING) -fp.seed=$(FUZZ_SEED)
	$(GO) test ./internal/engine/fences -count=1 -timeout 120m -v -run 'Robustness|Checks' -fp.programs=$(FUZZ_ROBUST)
	$(GO) test ./internal/engine/fences -count=1 -timeout 120m -v -run Assertions -fp.repaired=$(FUZZ_ROBUST)
	$(GO) test ./internal/question/lin -count=1 -timeout 240m -v -run 'Brute|Corpus' -fp.objects=3000
	$(GO) test ./internal/question/explore -count=1 -timeout 60m -v -run 'Walks|Weaker' -fp.walks=$(FUZZ_WALKS)
	$(MAKE) site-test
	$(GO) test ./internal/question/fences -count=1 -timeout 120m -v -run FencesTexts -fp.programs=$(FUZZ_ROBUST) -fp.seed=$(FUZZ_SEED)
	$(GO) test ./internal/question/fences -count=1 -timeout 240m -v -run TestRandomOrders -fp.ordertexts=2000 -fp.orderfirst=$(FUZZ_SEED)
	$(GO) test ./internal/engine/fences -count=1 -timeout 120m -v -run 'TestOrders$$' -fp.orders=2000
	$(GO) test ./internal/engine/bmc -count=1 -timeout 240m -v -run 'AgainstExplicit|Loops|Blocks|Overwritten|Table1|Safestack|Corpus' -fp.programs=$(FUZZ_BMC) -fp.seed=$(FUZZ_SEED) -fp.slow
	$(GO) test ./internal/engine/rf -count=1 -timeout 120m -v -run 'Classes|Refused|Blind|Units|Recycled|Explicit|Freed|Workers|Parts' -fp.traces=$(FUZZ_TRACES) -fp.programs=$(FUZZ_PROGRAMS) -fp.divided=$(FUZZ_PROGRAMS) -fp.seed=$(FUZZ_SEED)
	$(GO) test ./internal/engine/rf -count=1 -timeout 120m -v -run 'TestC11(Robust)?$$' -fp.c11=$(FUZZ_TRACES)
	$(GO) test ./internal/question/check -count=1 -timeout 120m -v -run TestC11Twins -fp.c11twins=$(FUZZ_TRACES)
	$(GO) test ./internal/testkit -count=1 -timeout 60m -v -run CorpusInParts -fp.parts
	$(GO) test ./internal/frontend/c/translate/library -count=1 -timeout 60m -v -run TestSmallLocks -fp.clients=$(FUZZ_CLIENTS)
	$(GO) test ./internal/engine/explicit -count=1 -timeout 60m -v -run 'Stored|Keys' -fp.stored=$(FUZZ_PROGRAMS) -fp.keys=$(FUZZ_PROGRAMS) -fp.seed=$(FUZZ_SEED)
	$(GO) test ./internal/cli -count=1 -timeout 60m -v -run ResumeAfter -fp.kills=$(FUZZ_KILLS)
	cd $(CLUSTER) && $(GO) test ./internal/worker -count=1 -timeout 120m -v -run Crashes -fp.trees=$(FUZZ_TREES)
	cd $(CLUSTER) && $(GO) test ./internal/command -count=1 -timeout 120m -v -run Killed -fp.kills=$(FUZZ_KILLS) -fp.random=$(FUZZ_CLUSTER) -fp.seed=$(FUZZ_SEED)
	cd $(CLUSTER) && $(GO) test ./internal/command -count=1 -timeout 240m -v -run 'TestDamage|TestFaults' -fp.damages=$(FUZZ_DAMAGES) -fp.faults=$(FUZZ_FAULTS) -fp.seed=$(FUZZ_SEED)
	$(GO) test ./internal/engine/smc -count=1 -timeout 120m -v -run 'Optimal|Explicit|Workers|EveryOrder|Choices' -fp.traces=$(FUZZ_TRACES) -fp.programs=$(FUZZ_PROGRAMS) -fp.seed=$(FUZZ_SEED)
	$(GO) test ./internal/engine/mover -count=1 -timeout 120m -v -run 'Proofs|Proved|Invariants' -fp.programs=$(FUZZ_MOVER) -fp.inc=$(FUZZ_MOVER_C) -fp.seed=$(FUZZ_SEED)
	$(GO) test ./internal/question/prove -count=1 -timeout 120m -v -run Mutants -fp.mutants=$(FUZZ_MUTANTS) -fp.seed=$(FUZZ_SEED)
	$(GO) test ./internal/certificate -count=1 -timeout 240m -v -fp.programs=5000 -fp.mutants=10000 -fp.c11=5000 -fp.putback=all -fp.seed=$(FUZZ_SEED)
	$(GO) test ./internal/testkit -count=1 -timeout 120m -v -run CorpusCertified -fp.certified
	$(GO) test ./internal/question/check -count=1 -timeout 120m -v -run UnsafeIsNever -fp.refuted
	$(GO) test ./internal/engine/param -count=1 -timeout 120m -v -run Instances -fp.programs=$(FUZZ_PARAM)
	$(GO) test ./internal/question/check -count=1 -timeout 120m -v -run Sections -fp.sections=$(FUZZ_ROBUST) -fp.seed=$(FUZZ_SEED)
	$(GO) test ./internal/testkit -count=1 -timeout 240m -v -run Hunt -fp.hunt=$(FUZZ_ROBUST) -fp.huntseed=$(FUZZ_SEED)
	$(GO) test ./internal/testkit -count=1 -timeout 120m -v -run UndefinedAgainst -fp.slow
	$(GO) test ./internal/testkit -count=1 -timeout 120m -v -run VariablesWithAddresses -fp.registers=$(FUZZ_ROBUST)
	$(GO) test ./internal/transform/waiting -count=1 -timeout 30m -v -run 'NeedsAgainst|DelaysAgainst' -fp.needs=100000 -fp.needseed=$(FUZZ_SEED) -fp.delays=100000 -fp.delayseed=$(FUZZ_SEED)
	$(GO) test ./internal/question/check -count=1 -timeout 120m -v -run AgainstValgrind -fp.slow
	$(GO) test ./internal/question/check -count=1 -timeout 120m -v -run Misuse -fp.misuse=3000
	$(GO) test ./internal/shorten -count=1 -timeout 60m -v -fp.programs=$(FUZZ_PROGRAMS)
	$(GO) test ./internal/frontend/fp -count=1 -timeout 60m -v -run Lowering -fp.lowering=$(FUZZ_PROGRAMS)
	$(GO) test ./internal/frontend/c -count=1 -timeout 60m -v -run 'TestLitmus$$' -fp.litmus
	$(GO) test ./internal/export/herd -count=1 -timeout 120m -v -run 'LitmusRandom|LitmusMain' -litmus.random=$(FUZZ_PROGRAMS) -litmus.seed=$(FUZZ_SEED)
	$(GO) test ./internal/export/c11 -count=1 -timeout 120m -v -run CRandom -c.random=$(FUZZ_SPIN) -c.seed=$(FUZZ_SEED)
	$(GO) test ./internal/engine/bmc -count=1 -timeout 240m -v -run 'SequentialRandom|SequentialCorpus' -fp.slow -bmc.sequential=2000 -bmc.sequential.seed=$(FUZZ_SEED)
	$(GO) test ./internal/export/promela -count=1 -timeout 120m -v -run 'RandomPrograms|SameStates' -pml.random=$(FUZZ_SPIN) -pml.overlap=$(FUZZ_SPIN) -pml.seed=$(FUZZ_SEED)
	$(GO) test -count=1 -timeout 240m $$(grep -rlE --include='*_test.go' 'testkit\.(Slow|InPart|PartOf)\(' . | xargs -n1 dirname | sort -u) -fp.slow
	$(GO) test ./internal/frontend/elf -count=1 -timeout 240m -v -run 'TestGenerated$$' -fp.generated=$(FUZZ_MACHINE) -fp.builds=8 -fp.generatedseed=$(FUZZ_SEED)
	$(GO) test ./internal/frontend/elf -count=1 -timeout 0 -v -run 'TestStdMatrix$$' -fp.cells=$(FUZZ_CELLS) -fp.celltime=30s
	$(GO) test ./internal/frontend/elf/lift -run TestNative -lift.cases $(FUZZ_LIFT) -lift.encodings 200 -lift.seed $(FUZZ_SEED) -timeout 2h
	@set -e; for p in $(PARSERS); do \
	  echo "$(GO) test $${p%%:*} -run '^$$' -fuzz $${p##*:} -fuzztime $(FUZZ_TIME)"; \
	  $(GO) test $${p%%:*} -run '^$$' -fuzz "^$${p##*:}$$" -fuzztime $(FUZZ_TIME) -fuzzminimizetime 1x; \
	done
	@set -e; cd $(CLUSTER); for p in $(CLUSTER_PARSERS); do \
	  echo "$(GO) test $${p%%:*} -run '^$$' -fuzz $${p##*:} -fuzztime $(FUZZ_TIME)"; \
	  $(GO) test $${p%%:*} -run '^$$' -fuzz "^$${p##*:}$$" -fuzztime $(FUZZ_TIME) -fuzzminimizetime 1x; \
	done

# Litmus tests on this machine's processor, and library calls inside such tests: every outcome it shows must be allowed
# under TSO.
native: build
	@set -e; dir=$$(mktemp -d); trap 'rm -rf "$$dir"' EXIT; \
	tar -xzf testdata/litmus/x86.tar.gz -C "$$dir"; \
	bin/fencepost stress "$$dir" testdata/litmus/mixed --seconds $(NATIVE_SECONDS)
	$(GO) test ./internal/frontend/c/translate/library -count=1 -v -timeout 120m -run TestNativeCalls -fp.native=$(NATIVE_ROUNDS)

# Clients of pthreads with musl's sources and with our models: make musl DIR=folder of musl.
musl:
	@if [ ! -d "$(DIR)/src/thread" ]; then echo "usage: make musl DIR=folder with the sources of musl" >&2; exit 1; fi
	$(GO) test ./internal/frontend/c/translate/library -count=1 -v -timeout 240m -run TestMusl -fp.musl=$(abspath $(DIR)) -fp.clients=$(FUZZ_CLIENTS) -fp.clientmb=48

# Programs of gcc's C torture suite, which are not part of the repository: make torture DIR=folder with its programs.
torture:
	@if [ ! -d "$(DIR)" ]; then echo "usage: make torture DIR=folder with programs of gcc.c-torture/execute" >&2; exit 1; fi
	$(GO) test ./internal/frontend/c/translate -count=1 -v -timeout 240m -run TestTorture -fp.torture=$(abspath $(DIR))

# The counts of reads-from classes of Nidhugg's litmus tests, which are not part of the repository, against those that
# its authors recorded: make weak-traces DIR=folder tests/litmus of its sources.
weak-traces:
	@if [ ! -f "$(DIR)/reference.results.txt" ]; then echo "usage: make weak-traces DIR=folder tests/litmus of Nidhugg's sources" >&2; exit 1; fi
	$(GO) test ./bench -count=1 -v -timeout 60m -run TestNidhuggCounts -fp.nidhugg=$(abspath $(DIR))

# Every question about every program of the repository, asked of an older commit too: the
# answers must be equal, but for times.
answers:
	@test -n "$(OLD)" || { echo "usage: make answers OLD=COMMIT"; exit 2; }
	@set -e; dir=$$(mktemp -d); trap 'git worktree remove --force "$$dir/old"; rm -rf "$$dir"' EXIT; \
	git worktree add --detach "$$dir/old" $(OLD); \
	(cd "$$dir/old" && $(GO) build -o "$$dir/old.bin" ./cmd/fencepost); \
	$(GO) build -o "$$dir/new.bin" ./cmd/fencepost; \
	$(GO) test ./bench -count=1 -timeout 120m -v -run TestAnswers -fp.old="$$dir/old.bin" -fp.new="$$dir/new.bin"

# The same for C programs only, and only whether verdicts are equal: OPTIONS go to the newer one, for defaults that
# changed, and MORE are further folders with C programs, separated by commas.
verdicts:
	@test -n "$(OLD)" || { echo "usage: make verdicts OLD=COMMIT [OPTIONS=--flag] [MORE=folder,folder]"; exit 2; }
	@set -e; dir=$$(mktemp -d); trap 'git worktree remove --force "$$dir/old"; rm -rf "$$dir"' EXIT; \
	git worktree add --detach "$$dir/old" $(OLD); \
	(cd "$$dir/old" && $(GO) build -o "$$dir/old.bin" ./cmd/fencepost); \
	$(GO) build -o "$$dir/new.bin" ./cmd/fencepost; \
	$(GO) test ./bench -count=1 -timeout 120m -v -run TestVerdicts -fp.old="$$dir/old.bin" -fp.new="$$dir/new.bin" -fp.newoptions='$(OPTIONS)' -fp.more='$(MORE)'

# The benchmarks of an older commit and of this tree in turn, and the ratio of their times.
speed:
	@test -n "$(OLD)" || { echo "usage: make speed OLD=COMMIT [RUNS=10] [BENCH=regexp]"; exit 2; }
	@set -e; dir=$$(mktemp -d); trap 'git worktree remove --force "$$dir/old"; rm -rf "$$dir"' EXIT; \
	git worktree add --detach "$$dir/old" $(OLD); \
	if [ -d ../shared ]; then ln -s "$$(cd ../shared && pwd)" "$$dir/shared"; fi; \
	$(GO) test ./bench -count=1 -timeout 300m -v -run TestSpeed -fp.oldtree="$$dir/old" -fp.runs=$(RUNS) -fp.bench='$(BENCH)'

# How long after a time limit of 300 ms each stage stops. The aim is twice the limit and one second.
limits:
	$(GO) test ./internal/cli -run '^$$' -bench TimeLimit -benchtime 1x

# The CPU time of the default check against that of the best single engine.
portfolio: build
	$(GO) test ./bench -count=1 -timeout 240m -v -run TestPortfolio -fp.portfolio="$(CURDIR)/bin/fencepost"

# What the command costs: start-up, families, workers, explicit search, bounded model checking. PEER=FILE adds
# ratios to another tool's figures, ONLY=REGEXP measures a part.
measure: build
	$(GO) run ./internal/tool/measure --only='$(ONLY)' --runs=$(RUNS) $(if $(PEER),--peer='$(PEER)') bin/fencepost

# The CPU time of the tests of each package, compiling not counted. At most four minutes in all, and
# one in each package: what takes longer belongs into make fuzz.
cpu: deps
	$(GO) test ./bench -count=1 -timeout 240m -v -run 'TestCPU$$' -fp.cpu -fp.cpuonly='$(PACKAGES)'

RUNS     ?= 10
BENCH    ?= .
ONLY     ?= .
PACKAGES ?= .

bench:
	$(GO) test -run '^$$' -bench . -benchmem ./...

# The same programs here and in SPIN, as ratios within one run.
bench-spin: deps
	$(GO) test -run '^$$' -bench AgainstSpin -benchtime 1x -timeout 60m ./bench

# Rewrites expected output, by the tests that know -update. One package after the other: some read what others
# rewrite.
update:
	@list=$$($(GO) run ./internal/tool/updates) || exit 1; \
	echo "$$list" | while read -r package tests; do \
	  echo "$(GO) test $$package -run '$$tests' -count=1 -timeout 0 -update"; \
	  $(GO) test $$package -run "$$tests" -count=1 -timeout 0 -update || exit 1; \
	done

# Gives the module another path, everywhere: make module PATH=example.org/tools/fencepost. The variable hides
# the search path of the shell, which is therefore taken from the environment that make was started with.
module:
	@if [ "$(origin PATH)" != "command line" ]; then echo "usage: make module PATH=example.org/tools/fencepost" >&2; exit 1; fi; \
	path=$$(/usr/bin/tr '\0' '\n' < /proc/$$PPID/environ 2>/dev/null | /usr/bin/sed -n 's/^PATH=//p'); \
	PATH="$${path:-/usr/local/go/bin:/opt/homebrew/bin:/usr/local/bin:/usr/bin:/bin}" $(GO) run ./internal/tool/modulepath "$(PATH)"

deps:
	@missing=; for p in $(DEBIAN_PACKAGES); do \
	  dpkg-query -W -f='$${Status}' $$p 2>/dev/null | grep -q 'install ok installed' || missing="$$missing $$p"; \
	done; \
	if [ -z "$$missing" ]; then exit 0; fi; \
	if ! command -v apt-get >/dev/null; then echo "deps: no apt-get here; needed:$$missing"; exit 0; fi; \
	if [ "$$(id -u)" = 0 ]; then sudo=; \
	elif sudo -n true 2>/dev/null; then sudo="sudo -n"; \
	else echo "deps: not root and no sudo without a password; needed:$$missing"; exit 0; fi; \
	echo "deps: apt-get installs these packages now (DEPS=no installs nothing):$$missing"; \
	$$sudo apt-get update -q && $$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $$missing \
	  || echo "deps: could not install:$$missing"
