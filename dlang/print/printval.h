/*
 * printval.h: one recorded value as text: trace(), keys, hex dumps, stacks and symbols
 * (docs/spec/d-language.md §12.5, §12.6, §12.9, §12.10). Text is appended to pr->out; nothing here
 * fails.
 */
#ifndef DLANG_PRINT_PRINTVAL_H
#define DLANG_PRINT_PRINTVAL_H

#include "base/strbuf.h"
#include "dlang/options.h"
#include "dlang/program.h"

struct aspaces;
struct symname;
struct symres;

/* A time for symbols of keys, which have no time of their own: what is mapped there at last. */
#define TIME_LATEST (UINT64_MAX - 1)

/*
 * Names that stand for addresses where keys hold numbers (1, 2, ...) in place of them: those of
 * runs that were read again. A name that is none has no function, and its offset is the address;
 * what is no frame but a whole text is a function without an object.
 */
struct namelist {
	const struct symname *names;
	size_t n;
};

struct printer {
	struct strbuf *out;
	const struct options *options;
	struct symres *syms; /* NULL: addresses only */
	const struct aspaces *aspaces;
	struct kallsyms *ksyms;	      /* NULL: addresses only */
	const struct namelist *names; /* NULL: keys hold addresses */
	pid_t pid;		      /* whose addresses %A shows */
	uint64_t time_ns;	      /* of the record, for symbols */
};

/* `data` is where the value itself is, rec says what it is. */
void printer_trace(const struct printer *, const struct rec *, const char *data);
void printer_key(const struct printer *, const struct rec *, const char *data);
/* Newline, then a line per frame. */
void printer_stack(const struct printer *, const struct rec *, const char *data, unsigned indent);
/* What a frame of a user stack is called; what is not known stays NULL. */
void printer_frame_name(const struct printer *, uint32_t aspace, taddr_t pc, bool is_innermost,
			struct symname *);
void printer_kernel_name(const struct printer *, taddr_t pc, struct symname *);
/* The text of a symbol address, without padding. */
void printer_symbol(const struct printer *, const struct rec *, const char *data);
/*
 * Changes the data of sym(), func(), usym(), ufunc() to the function's start, and of mod(), umod()
 * to one address for each module, so that equal names are equal data. modules: module -> address,
 * kept by the caller. Other data stays as it is.
 */
struct hash;
void printer_same_symbol(const struct printer *, struct hash *modules, const struct rec *,
			 char *data);
/* Of usym() and ufunc() in code without a name: to the page that it lies in. */
void printer_whole_page(const struct printer *, const struct rec *, char *data);
/* The text of a bare address of pr->pid. */
void printer_user_address(const struct printer *, uint64_t addr);
void printer_kernel_address(const struct printer *, uint64_t addr, bool with_offset);
void printer_hex(const struct printer *, const void *data, size_t n);

/* n blanks. */
void printer_blanks(const struct printer *, size_t n);

/* An integer record, sign-extended if its type is signed; is_signed may be NULL. */
uint64_t rec_int(const struct rec *, const char *data, bool *is_signed);

#endif
