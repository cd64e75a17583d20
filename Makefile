# `make` builds ./dtrace; `make help` lists the targets. Nothing here runs a compiler before a recipe
# does, so `make demo` and `make check` can install one first.
ifeq ($(origin CC),default)
CC := gcc
endif
PREFIX ?= /usr/local
SAN    ?=
CFLAGS ?= -O2 -g
JOBS   ?= 2

comma := ,
TOP   ?= build
BUILD ?= $(TOP)$(if $(SAN),/san-$(subst $(comma),-,$(SAN)))
WARN  := -std=gnu11 -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
	 -Wpointer-arith -Wwrite-strings -Wundef -Wvla -Wformat=2 -Werror
SANFLAGS   := $(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer -fno-sanitize-recover=all)
ALL_CFLAGS  = $(WARN) $(CFLAGS) -D_GNU_SOURCE -iquote . -MMD -MP $(SANFLAGS)
LDLIBS := -l:libbpf.a -lz -liberty -llzma -lzstd -lelf -ldw -lunwind-ptrace -lunwind-x86_64 -lunwind -lm

# What the shared libraries above bring along themselves.
STATIC_LDLIBS := -l:libbpf.a -lunwind-ptrace -lunwind-x86_64 -lunwind -ldw -lelf -lz -llzma -lzstd -lbz2 -liberty -lm

# rooms, and rooms within rooms, lowest first
ROOMS := base base/json base/cache symbols/cfi symbols/x86 symbols symbols/dwarf \
	 tracer/procfs tracer/journal tracer/x86 tracer tracer/unwind tracer/janitor inject/x86 inject \
	 dlang dlang/osinfo dlang/run dlang/offload dlang/print dlang/parse dlang/codegen dlang/compile \
	 providers/perfdata providers/perfwrite providers/world providers/rewrite providers/kernel providers/kernel/tracefs providers/kernel/kprog providers/pid providers/fpid providers/system providers/system/tracepoints providers/system/files providers/system/numbers providers/machine providers/hits providers command/merge command/report command/recording command/serve command/live command/tool command
SRCS  := $(wildcard $(ROOMS:%=%/*.c))
OBJS  := $(SRCS:%.c=$(BUILD)/%.o) $(BUILD)/inject/hookobj.o $(BUILD)/command/report/pagefiles.o \
	 $(BUILD)/tracer/preload/preloadlib.o $(BUILD)/providers/kernel/bpfobjs.o
LIB   := $(BUILD)/rooms.a

UNITS   := $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(wildcard tests/unit/*_test.c))
FUZZERS := $(patsubst tests/fuzz/%.c,$(BUILD)/tests/%,$(wildcard tests/fuzz/fuzz_*.c))
BENCHES := $(patsubst bench/%.c,$(TOP)/bench/%,$(wildcard bench/*.c))
TARGETS := $(patsubst tests/targets/%.c,$(TOP)/targets/%,$(wildcard tests/targets/*.c))
ifneq ($(wildcard tests/targets/t.c),)
TARGETS += $(addprefix $(TOP)/targets/t-,nopie static static-pie stripped)
TARGETS += $(addprefix $(TOP)/targets/stacks-,static hdr)
endif

TARGETS += $(TOP)/targets/types-nodebug

# A build with sanitizers stays in its folder.
COMMAND := $(if $(SAN),$(BUILD)/dtrace,dtrace)

all: $(COMMAND) ## build ./dtrace (the default)

dtrace: $(TOP)/dtrace
	cp $< $@

# What is kept from run to run is known by the build-id of the command that wrote it.
$(BUILD)/dtrace: $(BUILD)/dtrace.o $(OBJS)
	$(CC) $(ALL_CFLAGS) -Wl,--build-id $(LDFLAGS) -o $@ $^ $(LDLIBS)
	@ln -sfn $(CURDIR)/dscripts $(BUILD)/dscripts # it looks for its libraries beside itself

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -c -o $@ $<

# --- the hook object: what runs in targets (hook_proto.h), as bytes in the command ------------------

HOOK_CFLAGS = $(WARN) -O2 -iquote . -MMD -MP -ffreestanding -fPIC -mgeneral-regs-only \
	      -fno-stack-protector -fcf-protection=none -fvisibility=hidden \
	      -fno-asynchronous-unwind-tables -Wframe-larger-than=256
HOOK_OBJS  := $(patsubst %.c,$(BUILD)/%.o,$(wildcard hook/*.c)) $(BUILD)/hook/entry.o

$(BUILD)/hook/%.o: hook/%.c
	@mkdir -p $(@D)
	$(CC) $(HOOK_CFLAGS) -c -o $@ $<

$(BUILD)/hook/entry.o: hook/entry.S
	@mkdir -p $(@D)
	$(CC) -iquote . -MMD -MP -c -o $@ $<

$(BUILD)/hook/hook.elf: $(HOOK_OBJS) hook/hook.ld
	$(CC) -nostdlib -static-pie -Wl,--build-id=none -Wl,-T,hook/hook.ld -o $@ $(HOOK_OBJS)

$(BUILD)/hook/hook.bin: $(BUILD)/hook/hook.elf
	objcopy -O binary -j .object $< $@

$(BUILD)/inject/hookobj.o: inject/hookobj.S $(BUILD)/hook/hook.bin
	@mkdir -p $(@D)
	$(CC) -c -Wa,-I$(BUILD)/hook -o $@ $<

$(BUILD)/command/report/pagefiles.o: command/report/pagefiles.S command/report/page.css command/report/page.js
	@mkdir -p $(@D)
	$(CC) -c -Wa,-I. -o $@ $<

# --- the library that lets us in where ptrace is forbidden (tracer/preload/preload_proto.h), as bytes -----------

$(BUILD)/tracer/preload/preloadlib.so: tracer/preload/preloadlib.c tracer/preload/preload_proto.h hook/rawcall.h
	@mkdir -p $(@D)
	$(CC) $(WARN) -O2 -iquote . -ffreestanding -fPIC -mgeneral-regs-only -fno-stack-protector \
		-fvisibility=hidden -shared -nostdlib -Wl,--build-id=none -Wl,-z,now -s -o $@ $<

$(BUILD)/tracer/preload/preloadlib.o: tracer/preload/preloadlib.S $(BUILD)/tracer/preload/preloadlib.so
	$(CC) -c -Wa,-I$(BUILD)/tracer/preload -o $@ $<

# --- what programs that take part use: hook/app/dtrace/probe.h, and this for scripting languages -------

$(TOP)/libdtrace-script.so: hook/app/script.c hook/app/dtrace/probe.h
	@mkdir -p $(@D)
	$(CC) $(WARN) -O2 -iquote . -ffreestanding -fPIC -fvisibility=hidden -fno-stack-protector \
		-shared -nostdlib -o $@ $<

# every object alone: what a room's author uses before the others have landed
objs: $(OBJS)

$(LIB): $(OBJS)
	rm -f $@
	ar rcs $@ $^

# --- BPF programs: providers/kernel/bpf/*.bpf.c, as bytes in the command (bpfobjs.h) ----------------------
# Without clang the objects are empty, and the command says what is missing.

CLANG ?= clang
BPF_OBJS := $(patsubst providers/kernel/bpf/%.bpf.c,$(BUILD)/bpf/%.bpf.o,$(wildcard providers/kernel/bpf/*.bpf.c))

$(BUILD)/bpf/%.bpf.o: providers/kernel/bpf/%.bpf.c $(wildcard providers/kernel/bpf/*.h providers/kernel/bpf/*/*.h) providers/kernel/bpfrec.h
	@mkdir -p $(@D)
	@if command -v $(CLANG) >/dev/null; then \
		echo $(CLANG) -target bpf $<; \
		$(CLANG) -O2 -g -Wall -Werror -Wno-unused-parameter -target bpf -mcpu=v3 \
			-D__TARGET_ARCH_x86 -iquote . -I providers/kernel/bpf -c $< -o $@; \
	else echo "no clang: $< is left out"; : >$@; fi

$(BUILD)/bpf/objects.S: $(BPF_OBJS)
	@{ echo '.section .rodata'; \
	for o in $(BPF_OBJS); do n=$$(basename $$o .bpf.o); \
		printf '.Ln_%s: .asciz "%s"\n.balign 16\n.Lo_%s: .incbin "%s"\n.Le_%s:\n' \
			$$n $$n $$n $$o $$n; done; \
	echo '.section .data.rel.ro, "aw"'; echo '.balign 8'; echo '.globl bpfobjs'; echo 'bpfobjs:'; \
	for o in $(BPF_OBJS); do n=$$(basename $$o .bpf.o); \
		echo ".quad .Ln_$$n, .Lo_$$n, .Le_$$n"; done; \
	echo '.quad 0, 0, 0'; echo '.section .note.GNU-stack, "", @progbits'; } >$@

$(BUILD)/providers/kernel/bpfobjs.o: $(BUILD)/bpf/objects.S
	@mkdir -p $(@D)
	$(CC) -c -o $@ $<

# --- tests ---------------------------------------------------------------------------------------

# A unit test may stand in for functions of other rooms: its own definition comes first.
$(BUILD)/tests/%_test: $(BUILD)/tests/unit/%_test.o $(LIB)
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -Wl,-z,muldefs -o $@ $^ $(LDLIBS) -lcapstone

$(BUILD)/tests/fuzz_%: $(BUILD)/tests/fuzz/fuzz_%.o $(BUILD)/tests/fuzz/driver.o $(LIB)
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

# Programs to be traced are never sanitized: they are what users have.
TARGET_CC = @mkdir -p $(@D); $(CC) -O1 -g -pthread -Wall -o $@ $<

$(TOP)/targets/%: tests/targets/%.c
	$(TARGET_CC) -pie -fPIE -lm
$(TOP)/targets/t-nopie: tests/targets/t.c
	$(TARGET_CC) -no-pie -fno-pie -lm
$(TOP)/targets/t-static: tests/targets/t.c
	$(TARGET_CC) -static -lm
$(TOP)/targets/t-static-pie: tests/targets/t.c
	$(TARGET_CC) -static-pie -fPIE -lm
$(TOP)/targets/stacks-static: tests/targets/stacks.c
	$(TARGET_CC) -static
$(TOP)/targets/stacks-hdr: tests/targets/stacks.c
	$(TARGET_CC) -static -Wl,--eh-frame-hdr
$(TOP)/targets/t-stripped: $(TOP)/targets/t
	strip -s -o $@ $<

$(TOP)/targets/types-nodebug: tests/targets/types.c
	$(TARGET_CC) -g0

tests: $(UNITS) $(FUZZERS) $(TARGETS) $(TOP)/libdtrace-script.so

check: ## install what is missing, build, run every test; SAN=address,undefined with sanitizers
	@tests/setup check
	@$(MAKE) --no-print-directory -s -j$(JOBS) $(COMMAND) tests
	@tests/run --build $(BUILD) --top $(TOP) $(if $(SAN),--san) $(TESTS)

fuzz: ## build the fuzz targets with clang's libFuzzer into build/fuzz/
	@for f in $(notdir $(FUZZERS)); do \
		$(MAKE) --no-print-directory -s -j$(JOBS) BUILD=$(TOP)/fuzz CC=clang \
			SAN=fuzzer-no-link,address,undefined $(TOP)/fuzz/rooms.a && \
		clang -g -O1 -D_GNU_SOURCE -iquote . -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all \
			-o $(TOP)/fuzz/$$f tests/fuzz/$$f.c $(TOP)/fuzz/rooms.a $(LDLIBS) && \
		echo "$(TOP)/fuzz/$$f tests/fuzz/corpus/$${f#fuzz_}" || exit 1; \
	done

PROGRAMS ?= 1000000
SEED ?= 1
fuzz-d: $(COMMAND) ## random D programs against the same in C: PROGRAMS=1000000 SEED=1
	@tests/tools/fuzz-d --dtrace $(COMMAND) --programs $(PROGRAMS) --seed $(SEED)

fuzz-native: tests ## random expressions as machine code and by the D machine: PROGRAMS=1000000 SEED=1
	@NATIVE_PROGRAMS=$(PROGRAMS) NATIVE_SEED=$(SEED) $(BUILD)/tests/native_random_test

fuzz-places: $(COMMAND) tests ## random D programs in the target, in the kernel and here: PROGRAMS=1000 SEED=1
	@tests/tools/fuzz-places --dtrace $(COMMAND) --target $(TOP)/targets/places --where --go-on --seed $(SEED) \
		--programs $(if $(filter file,$(origin PROGRAMS)),1000,$(PROGRAMS))

golden-places: $(COMMAND) tests ## the golden tests of tests/d in the target, in the kernel and here
	@tests/tools/golden-places --dtrace $(COMMAND) --target $(TOP)/targets/places -v

# --- the rest ------------------------------------------------------------------------------------

deps: ## install the Debian packages that are missing (root), or print the apt line
	@tests/setup all

demo: ## install what is missing, build, trace a real program (60 s at most)
	@tests/setup demo
	@$(MAKE) --no-print-directory -s -j$(JOBS) dtrace $(TOP)/targets/t
	@dscripts/demo/run

bench: ## measure the cost per hit, per clause, and of starting
	@tests/setup bench
	@$(MAKE) --no-print-directory -s -j$(JOBS) dtrace $(BENCHES) $(addprefix $(TOP)/targets/,hot stacks calls calltexts gaps bursts)
	@bench/run

$(TOP)/bench/%: bench/%.c $(LIB)
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -pthread $(LDFLAGS) -o $@ $^ $(LDLIBS)

install: dtrace $(TOP)/libdtrace-script.so ## copy the command, its manual page and its scripts to DESTDIR/PREFIX
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/man/man1
	install -m 755 dtrace $(DESTDIR)$(PREFIX)/bin/dtrace
	install -m 644 docs/dtrace.1 $(DESTDIR)$(PREFIX)/share/man/man1/dtrace.1
	install -d $(DESTDIR)$(PREFIX)/share/man/man7
	install -m 644 docs/*.7 $(DESTDIR)$(PREFIX)/share/man/man7
	install -d $(TOP)/man $(DESTDIR)$(PREFIX)/share/man/man8
	docs/tools/pages $(CURDIR)/$(TOP)/man
	install -m 644 $(TOP)/man/*.7 $(DESTDIR)$(PREFIX)/share/man/man7
	install -m 644 $(TOP)/man/*.8 $(DESTDIR)$(PREFIX)/share/man/man8
	install -d $(DESTDIR)$(PREFIX)/lib/dtrace/lib
	install -m 644 dscripts/lib/*.d $(DESTDIR)$(PREFIX)/lib/dtrace/lib
	install -m 755 $(TOP)/libdtrace-script.so $(DESTDIR)$(PREFIX)/lib/libdtrace-script.so
	install -d $(DESTDIR)$(PREFIX)/include/dtrace
	install -m 644 hook/app/dtrace/probe.h $(DESTDIR)$(PREFIX)/include/dtrace/probe.h
	install -d $(DESTDIR)$(PREFIX)/share/dtrace/bin
	install -m 755 dscripts/bin/* $(DESTDIR)$(PREFIX)/share/dtrace/bin
	install -d $(DESTDIR)$(PREFIX)/share/bash-completion/completions $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
	install -m 644 dscripts/completion/dtrace.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/dtrace
	install -m 644 dscripts/completion/dtrace.fish $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/dtrace.fish
	install -d $(DESTDIR)$(PREFIX)/share/dtrace/demo
	install -m 755 dscripts/demo/*.d $(DESTDIR)$(PREFIX)/share/dtrace/demo

lint: ## clang-format, clang-tidy, tests/deps.sh and tests/tools/unused.sh
	@tests/setup lint
	@tests/lint

deb: dtrace $(TOP)/libdtrace-script.so ## make a Debian package: build/deb/dtrace_2.0_amd64.deb
	+@packaging/deb $(TOP)/deb

html: ## make the manual as one page: build/manual.html (needs mandoc, cmark-gfm, python3)
	@mkdir -p $(TOP)
	@packaging/html $(TOP)/manual.html

static: $(BUILD)/dtrace-static ## make a tarball that needs nothing installed: build/dtrace-static.tar.gz
	rm -rf $(BUILD)/tarball
	$(MAKE) --no-print-directory -s install DESTDIR=$(BUILD)/tarball PREFIX=/dtrace
	install -m 755 $< $(BUILD)/tarball/dtrace/bin/dtrace
	tar -C $(BUILD)/tarball -czf $(BUILD)/dtrace-static.tar.gz dtrace

$(BUILD)/dtrace-static: $(BUILD)/dtrace.o $(OBJS)
	$(CC) $(ALL_CFLAGS) -Wl,--build-id $(LDFLAGS) -static -s -o $@ $^ $(STATIC_LDLIBS)

clean: ## remove everything that was built
	rm -rf $(TOP) dtrace

help: ## list the targets
	@sed -n 's/^\([a-z]*\):[^#]*## \(.*\)/make \1|\2/p' $(firstword $(MAKEFILE_LIST)) | \
		awk -F'|' '{ printf "%-14s %s\n", $$1, $$2 }'

-include $(OBJS:.o=.d) $(HOOK_OBJS:.o=.d) $(wildcard $(BUILD)/dtrace.d $(BUILD)/tests/*/*.d)
.PHONY: all static deb html objs tests check fuzz fuzz-d fuzz-native fuzz-places golden-places deps demo bench install lint clean help
.SECONDARY: $(UNITS:$(BUILD)/tests/%=$(BUILD)/tests/unit/%.o) \
	$(FUZZERS:$(BUILD)/tests/%=$(BUILD)/tests/fuzz/%.o) $(BUILD)/tests/fuzz/driver.o
