#include "dlang/difo.h"

const uint8_t insn_class[DIF_NOPS] = {
#define INSN(name, format, class) [DIF_OP_##name] = (class),
#include "dlang/insns.def"
#undef INSN
};

const struct insn_load insn_loads[DIF_NOPS] = {
#define LOAD(name, size, is_signed)                                                                \
	[DIF_OP_LD##name] = {size, is_signed, false},                                              \
	[DIF_OP_RLD##name] = {size, is_signed, false},                                             \
	[DIF_OP_ULD##name] = {size, is_signed, true},
#include "dlang/difops.def"
#undef LOAD
};

bool insn_compute(unsigned op, uint64_t a, uint64_t b, uint64_t *v)
{
	switch (op) {
#define CALC(name, value)                                                                          \
	case DIF_OP_##name:                                                                        \
		*v = (value);                                                                      \
		return true;
#include "dlang/difops.def"
#undef CALC
	default:
		return false;
	}
}

bool insn_is_taken(unsigned op, uint64_t a, uint64_t b)
{
	switch (op) {
#define COND(name, holds, turned)                                                                  \
	case DIF_OP_##name:                                                                        \
		return (holds);
#include "dlang/difops.def"
#undef COND
	default:
		return false;
	}
}

unsigned insn_turned(unsigned op)
{
	static const uint8_t ops[DIF_NOPS] = {
#define COND(name, holds, turned) [DIF_OP_##name] = DIF_OP_##turned,
#include "dlang/difops.def"
#undef COND
	};

	return ops[op];
}
