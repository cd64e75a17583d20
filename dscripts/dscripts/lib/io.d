/* io.d: the arguments of the io provider. */
#pragma D depends_on library iotypes.d

/* providers/system/prov_io.c has the same structure. */
typedef struct io_record {
	uint64_t addr, op_flags, sector, part_start, bytes, left, end_io, took_ns;
	uint64_t offset;
	int error;
	uint_t major, minor, instance;
	uint_t file_kind, file_flags, file_mode, is_direct;
	char driver[32];
	char disk[32];
	char fs[16];
	char mount[256];
	char dir[1024];
	char name[64];
	char path[1024];
} io_record_t;

translator bufinfo_t < io_record_t *r > {
	b_flags = ((r->op_flags & 0xff) == 0 ? B_READ : (r->op_flags & 0xff) == 1 ? B_WRITE : B_BUSY) |
		(r->is_direct ? B_PHYS : B_PAGEIO) |
		/* neither waited for, nor a read that somebody asked for */
		(((r->op_flags & 0xff) ? !(r->op_flags & 1 << 11) : r->op_flags & 1 << 19) ? B_ASYNC : 0) |
		(r->error ? B_ERROR : 0);
	b_bcount = r->bytes;
	b_bufsize = r->bytes;
	b_addr = r->addr;
	b_blkno = r->sector;
	b_lblkno = r->sector - r->part_start;
	b_resid = r->left;
	b_iodone = r->end_io;
	b_error = r->error;
	b_edev = r->major << 20 | r->minor;
	b_irpflags = r->op_flags;
	resp = r->took_ns;
};

translator devinfo_t < io_record_t *r > {
	dev_major = r->major;
	dev_minor = r->minor;
	dev_instance = r->instance;
	dev_name = stringof(r->driver);
	dev_statname = stringof(r->disk);
	dev_pathname = strjoin("/dev/", stringof(r->disk));
};

translator fileinfo_t < io_record_t *r > {
	fi_name = stringof(r->name);
	fi_dirname = stringof(r->dir);
	fi_pathname = stringof(r->path);
	fi_offset = r->offset;
	fi_fs = stringof(r->fs);
	fi_mount = stringof(r->mount);
	fi_oflags = r->file_flags;
	fi_cflags = 0;
	fi_aflags = r->file_mode;
	fi_sflags = 7;
	fi_bcount = r->bytes;
	fi_extinfo = r->bytes - r->left;
	fi_rstatus = -r->error;
	fi_dbuflen = 0;
	fi_irp = r->addr;
	fi_dpattern = "";
};

provider io {
	probe start(io_record_t *b, io_record_t *d, io_record_t *f) :
		(bufinfo_t *b, devinfo_t *d, fileinfo_t *f);
	probe done(io_record_t *b, io_record_t *d, io_record_t *f) :
		(bufinfo_t *b, devinfo_t *d, fileinfo_t *f);
	probe wait__start(io_record_t *b, io_record_t *d, io_record_t *f) :
		(bufinfo_t *b, devinfo_t *d, fileinfo_t *f);
	probe wait__done(io_record_t *b, io_record_t *d, io_record_t *f) :
		(bufinfo_t *b, devinfo_t *d, fileinfo_t *f);
	probe merge(io_record_t *b, io_record_t *d, io_record_t *f) :
		(bufinfo_t *b, devinfo_t *d, fileinfo_t *f);
	probe requeue(io_record_t *b, io_record_t *d, io_record_t *f) :
		(bufinfo_t *b, devinfo_t *d, fileinfo_t *f);
	probe error(io_record_t *b, io_record_t *d, io_record_t *f) :
		(bufinfo_t *b, devinfo_t *d, fileinfo_t *f);
};
