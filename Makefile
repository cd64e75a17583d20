# The development build; `make help` lists the targets.
CC      ?= gcc
PREFIX  ?= /usr/local
BUILD   ?= build
SAN     ?=
CFLAGS  ?= -O2 -g
WARN    := -std=gnu11 -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
	   -Wpointer-arith -Wwrite-strings -Wundef -Wvla -Wformat=2 -Werror
ALL_CFLAGS := $(WARN) $(CFLAGS) -D_GNU_SOURCE -iquote . -MMD -MP $(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer)
LDLIBS  := -lelf -ldw -lcapstone -lunwind-ptrace -lunwind-x86_64 -lunwind -lm

ROOMS := base symbols tracer dlang providers
SRCS  := $(wildcard $(ROOMS:%=%/*.c))
OBJS  := $(SRCS:%.c=$(BUILD)/%.o)

all: dtrace

dtrace: $(BUILD)/dtrace
	cp $< $@

$(BUILD)/dtrace: $(BUILD)/dtrace.o $(OBJS)
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -c -o $@ $<

# every object alone: what a room's author uses before the others have landed
objs: $(OBJS)

clean:
	rm -rf $(BUILD) dtrace

-include $(OBJS:.o=.d) $(BUILD)/dtrace.d
.PHONY: all objs clean
