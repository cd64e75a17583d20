/* iotypes.d: buffers, devices and files, as the arguments of the io and fsinfo probes have them. */

typedef uint64_t lblkno_t;

typedef struct bufinfo {
	int b_flags;		/* B_READ ... */
	size_t b_bcount;	/* bytes */
	size_t b_bufsize;
	uintptr_t b_addr;	/* names the request from start to done */
	uint64_t b_blkno;	/* in units of 512 bytes, on the disk */
	uint64_t b_lblkno;	/* on the partition */
	size_t b_resid;		/* bytes not transferred */
	uintptr_t b_iodone;	/* what is called when it is done */
	int b_error;		/* errno */
	dev_t b_edev;
	uint64_t b_irpflags;	/* the kernel's own flags */
	uint64_t resp;		/* at done: ns since start */
} bufinfo_t;

/* b_flags */
inline int B_BUSY = 0x0001;
inline int B_DONE = 0x0002;
inline int B_ERROR = 0x0004;
inline int B_PAGEIO = 0x0010;
inline int B_PHYS = 0x0020;
inline int B_READ = 0x0040;
inline int B_WRITE = 0x0100;
inline int B_ASYNC = 0x0400;

typedef struct devinfo {
	int dev_major;
	int dev_minor;
	int dev_instance;	/* number of the partition */
	string dev_name;	/* of the driver */
	string dev_statname;	/* "sda1" */
	string dev_pathname;	/* "/dev/sda1" */
} devinfo_t;

typedef struct fileinfo {
	string fi_name;		/* last part of the path */
	string fi_dirname;	/* the rest of it */
	string fi_pathname;
	uint64_t fi_offset;
	string fi_fs;		/* kind of file system */
	string fi_mount;	/* where it is mounted */
	int fi_oflags;		/* O_RDONLY ... */
	int fi_cflags;		/* 0 open, 1 create, 2 create anew, 3 truncate */
	int fi_aflags;		/* type and permissions, as st_mode */
	int fi_sflags;		/* sharing: 1 read, 2 write, 4 delete */
	uint64_t fi_bcount;	/* bytes asked for */
	int64_t fi_extinfo;	/* at done: the result */
	int fi_rstatus;		/* at done: 0, or -errno */
	uint64_t fi_dbuflen;	/* room of a directory read */
	uintptr_t fi_irp;	/* names the operation from start to done */
	string fi_dpattern;
} fileinfo_t;
