#include "dlang/print/actprint.h"
#include "dlang/print/structured.h"

/* clang-format off */
static const struct stmt_output outputs[STMT_NKINDS] = {
	[STMT_TRACE] = {print_trace, structured_trace, 1},
	[STMT_PRINT] = {print_print, structured_print, 5},
	[STMT_TRACEMEM] = {print_tracemem, structured_trace, 5},
	[STMT_PRINTF] = {print_printf, structured_printf, 3},
	[STMT_PRINTA] = {print_printa, structured_printa, 4},
	[STMT_STACK] = {print_stack, structured_trace, 5},
	[STMT_USTACK] = {print_stack, structured_trace, 5},
	[STMT_JSTACK] = {print_stack, structured_trace, 5},
	[STMT_SYM] = {print_sym, structured_trace, 5},
	[STMT_FUNC] = {print_sym, structured_trace, 5},
	[STMT_MOD] = {print_sym, structured_trace, 5},
	[STMT_USYM] = {print_sym, structured_trace, 5},
	[STMT_UFUNC] = {print_sym, structured_trace, 5},
	[STMT_UMOD] = {print_sym, structured_trace, 5},
	[STMT_UADDR] = {print_sym, structured_trace, 5},
	[STMT_NORMALIZE] = {print_normalize, NULL, 5},
	[STMT_DENORMALIZE] = {print_denormalize, NULL, 5},
	[STMT_CLEAR] = {print_clear, NULL, 5},
	[STMT_TRUNC] = {print_trunc, NULL, 5},
	[STMT_SETOPT] = {print_setopt, NULL, 5},
	[STMT_FREOPEN] = {print_freopen, NULL, 5},
	[STMT_FTRUNCATE] = {print_ftruncate, NULL, 5},
	[STMT_SYSTEM] = {print_system, NULL, 5},
	[STMT_PRINTM] = {print_printm, structured_trace, 5},
	[STMT_LKD] = {print_trace, structured_trace, 1},
};
/* clang-format on */

const struct stmt_output *stmt_output(const struct stmt *st)
{
	return outputs[st->kind].text ? &outputs[st->kind] : NULL;
}
