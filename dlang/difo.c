#include "dlang/difo.h"

const uint8_t insn_class[DIF_NOPS] = {
#define INSN(name, format, class) [DIF_OP_##name] = (class),
#include "dlang/insns.def"
#undef INSN
};
