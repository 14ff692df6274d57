# burin: an ahead-of-time compiler from tensor graphs to C99.
#
#   make          build ./burin                       make demo        a graph becomes C, runs here and on a Cortex-M4
#   make check    every test, sanitised (minutes)     make check-long  the same under Valgrind, and line coverage
#   make fuzz     random programs, FUZZ_SECONDS=60    make bench       speed, against memcpy and the like
#   make docs     the table of operators in tests/op
#   make install  PREFIX=/usr/local DESTDIR=          make deps        the Debian packages that are missing
#
# V=1 shows every command; make check ONLY=unit_idx runs one suite. Output lies in build/, but for ./burin itself.
# The same rules build three variants: plain (build/), VARIANT=san (build/san/: sanitizers, tiny arena chunks, warnings
# are errors), VARIANT=cov (build/cov/: counts lines). Demo and checks install what is missing, then call make again.

PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60
CFLAGS ?= -O2 -g
CC_std = -std=c11 -D_GNU_SOURCE
CC_warn = -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes
CC_san = -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -DBURIN_TEST -Werror
CC_cov = -O0 --coverage -fprofile-update=atomic -DBURIN_TEST
CC_all = $(CC_std) $(CFLAGS) $(CC_warn) $(CC_$(VARIANT))
LIBS := -lprotobuf-nanopb $(shell pkg-config --libs libxml-2.0 2>/dev/null || echo -lxml2) -lmd -lm
XML := $(shell pkg-config --cflags libxml-2.0 2>/dev/null || echo -I/usr/include/libxml2)

ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j$(shell nproc)
endif
MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SECONDARY:
.SECONDEXPANSION:
.SUFFIXES:
# make's own rules would write text.c from text.y and text.l, over the text.c that stands beside them.
%.c: %.y
%.c: %.l
.PHONY: all units fuzzers deps demo check check-long fuzz bench docs install uninstall clean

B := $(if $(VARIANT),build/$(VARIANT),build)
BURIN := $(if $(VARIANT),$(B)/burin,burin)
Q := $(if $(V),,@)
say = @printf '  %-6s%s\n' '$1' '$(or $2,$@)'

# ---- the rooms -------------------------------------------------------------------------------------------------------
# One folder, one header and one archive each. A room includes only its own header and those of the rooms below it, and
# its unit tests link only those, so that a call upwards does not compile or does not link.

ROOMS = codegen passes frontend ops kit graph loop base
DIR_base = ir/base
DIR_loop = ir/loop
DIR_graph = ir/graph
DIR_ops = ir/ops
DIR_kit = ir/kit
DIR_frontend = frontend
DIR_passes = passes
DIR_codegen = codegen
BELOW_loop = base
BELOW_graph = loop base
BELOW_ops = kit graph loop base
BELOW_kit = graph loop base
BELOW_frontend = graph loop base
BELOW_passes = graph loop base
BELOW_codegen = graph loop base
BELOW_. = $(ROOMS)
DIR_. = .

includes = $(foreach r,$1 $(BELOW_$1),-I$(DIR_$r))
archives = $(foreach r,$(filter-out .,$1) $(BELOW_$1),$(B)/$r.a)

# unit_NAME.c and fuzz_NAME.c test one room; a NAME that is not listed here links them all.
TESTS_base = base arena str diag dtype tensor
TESTS_loop = loop idx view range scalar meaning math interp
TESTS_graph = graph op build expand lower
TESTS_ops = ops
TESTS_frontend = frontend text literal onnx onnx_tensor onnx_bad
TESTS_passes = passes place order
TESTS_codegen = codegen
room_of = $(or $(strip $(foreach r,$(ROOMS),$(if $(filter $(patsubst unit_%,%,$(1:fuzz_%=%)),$(TESTS_$r)),$r))),.)

# ---- the compiler ----------------------------------------------------------------------------------------------------

GEN := $(patsubst frontend/%.l,build/frontend/%.lex,$(wildcard frontend/*.l))
GEN += $(patsubst frontend/%.y,build/frontend/%.tab,$(wildcard frontend/*.y))
GEN += $(patsubst frontend/%.proto,build/frontend/%.pb,$(wildcard frontend/*.proto))
objects = $(patsubst %.c,$(B)/%.o,$(wildcard $(DIR_$1)/*.c)) $(if $(filter frontend,$1),$(GEN:build/%=$(B)/%.o))

all: $(BURIN)
	@:

$(BURIN): $(B)/main.o $(ROOMS:%=$(B)/%.a)
	$(call say,LINK)
	$(Q)$(CC) $(CC_all) $(LDFLAGS) -o $@ $^ $(LIBS)

# The folder itself is a prerequisite: a file that is added or removed makes the archive anew.
$(ROOMS:%=$(B)/%.a): $(B)/%.a: $$(call objects,$$*) $$(DIR_$$*)
	$(call say,AR)
	$(Q)rm -f $@ && ar rcsD $@ $(filter %.o,$^)

$(B)/%.o: %.c
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CC_all) $(call includes,$(notdir $(*D))) $(INCLUDES) -MMD -MP -c -o $@ $<

$(call objects,frontend): INCLUDES = -Ibuild/frontend $(XML)
$(call objects,codegen): INCLUDES = $(XML)
$(call objects,frontend): | $(GEN:=.c)

# What flex, bison and nanopb write is not held to our warnings.
$(GEN:build/%=$(B)/%.o): $(B)/%.o: build/%.c
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CC_std) $(CFLAGS) $(filter-out -Werror,$(CC_$(VARIANT))) -w $(call includes,frontend) -Ifrontend \
	    -Ibuild/frontend -MMD -MP -c -o $@ $<

build/frontend/%.lex.c build/frontend/%.lex.h: frontend/%.l
	$(call say,FLEX,$<)
	@mkdir -p $(@D)
	$(Q)$(call need,flex) flex --header-file=build/frontend/$*.lex.h -o build/frontend/$*.lex.c $<

build/frontend/%.tab.c build/frontend/%.tab.h: frontend/%.y
	$(call say,BISON,$<)
	@mkdir -p $(@D)
	$(Q)$(call need,bison) bison -Wall --defines=build/frontend/$*.tab.h -o build/frontend/$*.tab.c $<

build/frontend/%.pb.c build/frontend/%.pb.h: frontend/%.proto frontend/%.options
	$(call say,PROTO,$<)
	@mkdir -p $(@D)
	$(Q)$(call need,nanopb_generator.py) cd frontend && nanopb_generator.py -q -D ../build/frontend $(<F)

need = command -v $1 >/dev/null || { echo "$1 is missing: run 'make deps'" >&2; exit 1; };

# ---- tests -----------------------------------------------------------------------------------------------------------

UNITS = $(patsubst tests/%.c,$(B)/test/%,$(wildcard tests/unit_*.c))
FUZZERS = $(patsubst tests/%.c,$(B)/test/%,$(wildcard tests/fuzz_*.c))
LIBS_check = $(shell pkg-config --libs check)

units: $(UNITS)
	@:
fuzzers: $(FUZZERS)
	@:

$(UNITS) $(FUZZERS): $(B)/test/%: $(B)/tests/%.o $$(call archives,$$(call room_of,$$*))
	$(call say,LINK)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CC_all) $(LDFLAGS) -o $@ $^ $(if $(filter unit_%,$*),$(LIBS_check)) $(LIBS)

$(B)/tests/%.o: tests/%.c
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CC_all) $(call includes,$(call room_of,$*)) -MMD -MP -c -o $@ $<

# What needs packages calls make again when they are there.
deps:
	@tests/deps.sh

demo: deps
	@$(MAKE) all
	@tests/demo.sh

check: deps
	@$(MAKE) CC_=-Werror all
	@$(MAKE) VARIANT=san all units fuzzers
	@tests/check.sh build/san $(ONLY)

check-long: deps
	@tests/deps.sh long
	@$(MAKE) all units fuzzers
	@$(MAKE) VARIANT=cov all units fuzzers
	@FULL=1 tests/coverage.sh build/cov 90 $(ONLY)
	@tests/check.sh --valgrind build $(ONLY)

fuzz: fuzzers
	@set -e; for f in $(FUZZERS); do seeds=tests/fuzz/$${f##*/fuzz_}; echo "$$f $(FUZZ_SECONDS)"; \
	    $$f $(FUZZ_SECONDS) $$([ ! -d $$seeds ] || echo --seeds $$seeds); done

bench: all
	@if [ -x tests/bench/run.sh ]; then tests/bench/run.sh; else echo "no benchmarks yet"; fi

docs: all
	@tests/operators.sh >build/OPERATORS.md
	@cmp -s build/OPERATORS.md tests/op/OPERATORS.md || cp build/OPERATORS.md tests/op/OPERATORS.md

# ---- the rest --------------------------------------------------------------------------------------------------------

install: all
	install -D -m 755 burin $(DESTDIR)$(PREFIX)/bin/burin
	install -D -m 644 burin.1 $(DESTDIR)$(PREFIX)/share/man/man1/burin.1

uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/burin $(DESTDIR)$(PREFIX)/share/man/man1/burin.1

clean:
	rm -rf build burin

-include $(wildcard $(B)/*.d $(B)/*/*.d $(B)/*/*/*.d)
