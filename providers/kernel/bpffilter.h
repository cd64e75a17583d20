/*
 * bpffilter.h: what the predicates of probes ask for, in the form that BPF programs walk (struct
 * bpf_filter).
 */
#ifndef PROVIDERS_KERNEL_BPFFILTER_H
#define PROVIDERS_KERNEL_BPFFILTER_H

#include "dlang/offload/pushdown.h"
#include "providers/kernel/bpfrec.h"

/* What word n of an event is to D, at the probes of these rows (bits). */
struct bpf_word {
	unsigned rows;
	unsigned char word;
	unsigned char arg;
	bool is_member; /* the `size` bytes at args[arg] + off, in this word and those behind it;
			 * false: argN itself */
	bool is_way;	/* of a text: programs have a path from its last part to its first */
	bool is_tail; /* of a text: they have the end of a path's last part; what ends so is open */
	bool is_interned;    /* of a text: two words stand for what the engine makes it of */
	bool is_signed;	     /* of a number of less than 8 bytes: the word has its sign */
	unsigned char size;  /* 0: the text there, of up to 15 characters, in two words, */
	unsigned char ntext; /* ... or in so many, if it is not 0 */
	unsigned short off;
	unsigned char besides; /* a number behind those of words, whose bit in bpf_counts.words
				* tells the program that this is asked for; 0: none */
	const char *name;      /* of the member, where filters ask for it */
};

#define BPF_INTERNED_WORDS 2 /* neither is 0, but where there was no room */

/* How many words a text takes. */
static inline unsigned bpf_word_length(const struct bpf_word *w)
{
	return w->ntext ? w->ntext : BPF_TEXT_ROOM / 8;
}

/* What a provider's programs know at an event. */
struct bpf_knows {
	unsigned set; /* of BPF_KNOWS_ */
	const struct bpf_word *words;
	unsigned nwords;
};
enum {
	BPF_KNOWS_PID = 1 << BPF_FILTER_PID,
	BPF_KNOWS_IDS = BPF_KNOWS_PID | 1 << BPF_FILTER_TID,
	BPF_KNOWS_UID = 1 << BPF_FILTER_UID,
	BPF_KNOWS_NAME = 1 << BPF_FILTER_NAME,
	BPF_KNOWS_RESULT = 1 << BPF_FILTER_RESULT | 1 << BPF_FILTER_ERRNO, /* arg0, arg1; errno */
	BPF_KNOWS_ARGS = 63 << BPF_FILTER_ARG0,				   /* arg0 and five more */
	BPF_KNOWS_WORDS = 1 << BPF_FILTER_WORD, /* the words of the event */
};

/* Adds what the probe's clauses ask for, as far as programs know it. */
void bpf_filter_add(struct filter *, const struct probe *, const struct bpf_knows *);

/* False: it has no room for all of it, and passes everything. */
bool bpf_filter_make(const struct filter *, const struct bpf_knows *, struct bpf_filter *);
/* The words that a filter asks for, as bits; of a text its first. */
unsigned bpf_filter_asks(const struct bpf_filter *);
/* In words; caller frees. */
char *bpf_filter_text(const struct filter *, const struct bpf_knows *);

#endif
