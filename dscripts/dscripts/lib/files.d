/*
 * files.d: fds[], the open files of the current process, as the book has them:
 * syscall::read:entry { @[fds[arg0].fi_pathname] = count(); }
 */
#pragma D depends_on library iotypes.d

/* fdnum[] and fdtext[] (dlang/osinfo/openfile.h) take descriptor << 2 | row. */
inline int fdnum_open = 0;
inline int fdnum_offset = 1;
inline int fdnum_oflags = 2;
inline int fdtext_path = 0;
inline int fdtext_fs = 1;
inline int fdtext_mount = 2;

inline int64_t fdnum_of[int64_t fd, int row] = fdnum[fd << 2 | row];
inline string fdtext_of[int64_t fd, int row] = fdtext[fd << 2 | row];

/*
 * A descriptor is a number; as the address of a structure that does not exist it has a type of its own. The
 * structure has a body: a mere tag is looked for in what the traced programs and the kernel know of themselves.
 */
struct opendesc {
	int fd;
};

translator fileinfo_t < struct opendesc *f > {
	fi_name = fdnum_of[(int64_t)f, fdnum_open] ? basename(fdtext_of[(int64_t)f, fdtext_path]) : "<none>";
	fi_dirname = !fdnum_of[(int64_t)f, fdnum_open] ? "<none>" :
	    fdtext_of[(int64_t)f, fdtext_path][0] == '/' ?
	    dirname(fdtext_of[(int64_t)f, fdtext_path]) : "<unknown>";
	fi_pathname = fdnum_of[(int64_t)f, fdnum_open] ? fdtext_of[(int64_t)f, fdtext_path] : "<none>";
	fi_offset = fdnum_of[(int64_t)f, fdnum_offset];
	fi_fs = fdtext_of[(int64_t)f, fdtext_fs] != "" ? fdtext_of[(int64_t)f, fdtext_fs] : "<none>";
	fi_mount = fdtext_of[(int64_t)f, fdtext_mount] != "" ? fdtext_of[(int64_t)f, fdtext_mount] : "<none>";
	fi_oflags = fdnum_of[(int64_t)f, fdnum_oflags];
	fi_cflags = 0;
	fi_aflags = 0;
	fi_sflags = 0;
	fi_bcount = 0;
	fi_extinfo = 0;
	fi_rstatus = 0;
	fi_dbuflen = 0;
	fi_irp = 0;
	fi_dpattern = "";
};

inline fileinfo_t fds[int fd] = xlate <fileinfo_t> ((struct opendesc *)(int64_t)fd);
