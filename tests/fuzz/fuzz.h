/*
 * fuzz.h: what a fuzz target is. tests/fuzz/fuzz_X.c defines this one function and has its inputs
 * in tests/fuzz/corpus/X/. `make check` replays them (driver.c); `make fuzz` builds the target with
 * clang's libFuzzer. Any input is fair: a target may only fail by crashing.
 */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include "base/base.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n); /* returns 0 */

#endif
