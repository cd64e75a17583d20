#include "dlang/actions.h"

const struct stmtkind stmtkinds[STMT_NKINDS] = {
#define ACTION(id, name, proto, flags) [STMT_##id] = {STMT_##id, #name, proto, flags},
#include "dlang/actions.def"
#undef ACTION
};
