/*
 * fsrec.h: the treaty between the BPF programs of the fsinfo and reg providers and the engine:
 * which system calls are operations on files, and what is recorded of one. Included by both.
 */
#ifndef PROVIDERS_KERNEL_FSREC_H
#define PROVIDERS_KERNEL_FSREC_H

#include "providers/kernel/bpfrec.h"

/* The rows of the fsinfo provider's table. */
enum bpf_fs_row {
	FS_CREATE,
	FS_CLEANUP, /* the last descriptor of a file is closed; close, too */
	FS_CLOSE,
	FS_READ,
	FS_WRITE,
	FS_SETINFO,
	FS_DELETE,
	FS_RENAME,
	FS_DIRENUM,
	FS_FLUSH,
	FS_QUERYINFO,
	FS_FSCONTROL,
	FS_DONE,
	FS_DIRNOTIFY,
	FS_NROWS
};

/* The rows of the reg provider's table. */
enum bpf_reg_row {
	REG_CREATE,
	REG_OPEN,
	REG_DELETE,
	REG_QUERY,
	REG_SETVALUE,
	REG_DELVALUE,
	REG_QUERYVALUE,
	REG_ENUMKEY,
	REG_ENUMVALUEKEY,
	REG_QUERYMULVALUE,
	REG_SETINFO,
	REG_FLUSH,
	REG_KCBCREATE,
	REG_KCBDELETE,
	REG_VIRTUALIZE,
	REG_CLOSE,
	REG_NROWS
};

/* What is special about a system call. */
enum {
	FS_OP_OPENS = 1,     /* its result is a descriptor of the file */
	FS_OP_HOW = 2,	     /* its flags are in a struct open_how */
	FS_OP_IOVEC = 4,     /* what is transferred is in a list of buffers */
	FS_OP_MAKES = 8,     /* the file is new: fi_cflags is 2 */
	FS_OP_REPLACES = 16, /* dup2, dup3: closes the other descriptor, if the first one is good */
	FS_OP_OFF_AT = 32,   /* the offset is behind a pointer, NULL: the file's own */
	FS_OP_CONTROL = 64,  /* fcntl: F_SETFL is setinfo */
	FS_OP_SECOND = 128,  /* it is another operation, too, on another file */
	FS_OP_RANGE = 256,   /* close_range */
	FS_OP_ADDRESS = 512, /* the file is what is mapped there */
	FS_OP_POS64 = 1024,  /* programs of 32 bits pass the offset in two words */
	FS_OP_FOLDER = 4096, /* rmdir */
	FS_OP_CREAT = 2048,  /* creat: its flags go without saying */
	FS_OP_NODE = 8192,   /* mknod: the type is in the permissions, none: a plain file */
};

#define FS_OP_NONE	0xff  /* row: it is none; an argument: it has none */
#define FS_AT_REMOVEDIR 0x200 /* AT_REMOVEDIR */

struct bpf_fs_op {
	unsigned char row;
	/* Arguments, by number: a descriptor; or a path and the descriptor it begins at; the
	 * other path of rename; */
	unsigned char fd, path, dirfd, path2, dirfd2;
	/* bytes, offset, flags of open, permissions, what fi_extinfo is. */
	unsigned char len, off, oflags, mode, extra;
	unsigned char padding;
	unsigned short flags, type; /* type: S_IFDIR ... of what is made */
};

/* What an operation is to the reg provider, as far as a record is of one; the engine finds the
 * others. extra: its argument of that name. */
static inline unsigned int reg_row_of(const struct bpf_fs_op *op, unsigned long long extra)
{
	switch (op->row) {
	case FS_CREATE:
		return op->flags & FS_OP_OPENS ? REG_OPEN : REG_CREATE;
	case FS_DELETE:
		return op->flags & FS_OP_FOLDER || extra & FS_AT_REMOVEDIR ? REG_DELETE
									   : REG_DELVALUE;
	case FS_QUERYINFO:
		return REG_QUERY;
	case FS_WRITE:
		return REG_SETVALUE;
	case FS_READ:
		return REG_QUERYVALUE;
	case FS_DIRENUM:
		return REG_ENUMKEY;
	case FS_SETINFO:
		return REG_SETINFO;
	case FS_FLUSH:
		return REG_FLUSH;
	}
	return REG_CLOSE;
}

/* Of a record. */
enum {
	BPF_FS_FILE = 1,      /* a descriptor's file: fs and mode hold */
	BPF_FS_NO_FILE = 2,   /* there is no such descriptor, or the call has none */
	BPF_FS_ANON = 4,      /* it is in no directory: a pipe, a socket ... */
	BPF_FS_TEXT = 8,      /* a path of the process, from the folder of the way on */
	BPF_FS_NO_TEXT = 16,  /* it could not be read yet: BPF_KIND_FS_LATE */
	BPF_FS_MAPPED = 32,   /* it is mapped into memory */
	BPF_FS_CUT = 64,      /* of a long way only the end */
	BPF_FS_ENDED = 128,   /* of the reg provider: a close has returned */
	BPF_FS_TEXT2 = 256,   /* rename: the new path */
	BPF_FS_CUT2 = 1024,   /* and of the second */
	BPF_FS_NOWHERE = 512, /* the path begins at a descriptor that is not open */
};

#define BPF_REG_VALUE 64

/* In the upper half of the flags: namespaces of the thread that are not the first process's. */
enum { BPF_REG_NET = 1, BPF_REG_IPC = 2, BPF_REG_UTS = 4, BPF_REG_USER = 8 };

/* What filters and counts may ask for of the start of an operation (struct bpf_known). */
enum bpf_fs_word {
	FS_WORD_OFFSET,
	FS_WORD_BYTES,
	FS_WORD_OFLAGS,
	FS_WORD_CFLAGS,
	FS_WORD_AFLAGS,
	FS_WORD_SFLAGS,
	FS_WORD_ROW,
	FS_WORD_FS, /* texts, of two words each */
	FS_WORD_NAME = FS_WORD_FS + 2,
	FS_WORD_MOUNT = FS_WORD_NAME + 2, /* from its last part on */
	FS_WORD_TAIL = FS_WORD_MOUNT + 2, /* the end of the last part of the path */
	FS_WORDS = FS_WORD_TAIL + 2
};

/* What clauses that run in the kernel know of a start: the numbers of its call, where each row but
 * one has them; a call that reads one file and writes another is both. */
#define FS_CLAUSE_FILE	 7 /* two words that stand for the file, in the map `files` */
#define FS_CLAUSE_MAPPED 9 /* of a close */
#define FS_CLAUSE_WRITE	 10
#define FS_CLAUSE_WORDS	 19

/* Of a record in the map `files`, from its beginning on; one that has more is in `long_files`. */
#define BPF_FS_USUAL 256

/* The same of a key's operation, when its call has returned. */
enum bpf_reg_word {
	REG_WORD_INDEX,
	REG_WORD_INTIME,
	REG_WORD_STATUS,
	REG_WORD_VALUE, /* texts, of two words each */
	REG_WORD_NEWVALUE = REG_WORD_VALUE + 2,
	REG_WORD_TAIL = REG_WORD_NEWVALUE + 2, /* the end of the last part of the key's path */
	REG_WORDS = REG_WORD_TAIL + 2
};

/* The other constants of the programs. */
struct bpf_fs_who {
	unsigned int own[2];	    /* engine and watchdog: their calls would feed on themselves */
	unsigned long long sockets; /* they and pipes are files, too */
	unsigned int net, ipc, uts, user; /* namespaces of the first process; 0: not known */
};

#define BPF_FS_PART  256  /* of a path, with its NUL */
#define BPF_FS_WAY   1024 /* of the parts of a path, more or less */
#define BPF_FS_PATH  1024 /* of a text */
#define BPF_FS_BYTES 4096

/*
 * An operation on a file, or its end. `bytes`: the parts of the file's path from the last to the
 * first, each with a NUL (`way` bytes, of them `mounted` up to where its file system is mounted);
 * or those of the directory that a path begins at, which is the process's root if it begins with a
 * slash; the same of the new path (way2); the path, and the new one. A record of kind
 * BPF_KIND_FS_LATE has all of these again.
 */
struct bpf_fs {
	struct bpf_head head;
	unsigned int row;
	unsigned int flags;
	unsigned long long irp; /* the same from start to end, and of no other at that time */
	long long result;	/* of an end; of a start: fi_extinfo */
	/* with details only */
	unsigned long long offset, ino;
	unsigned long long bytes_asked; /* of the reg provider: when the call was made */
	unsigned int oflags, mode;
	unsigned int mntns, nmounts; /* of paths; nmounts: another one when mounts have changed; 0:
					not known */
	unsigned short cflags, sharing;
	unsigned short way, mounted, way2, text, text2;
	unsigned short value, newvalue; /* behind the texts: of the reg provider */
	char fs[16], padding[6];
	char bytes[BPF_FS_BYTES + 1024];
};
#define BPF_FS_SHORT 48

#endif
