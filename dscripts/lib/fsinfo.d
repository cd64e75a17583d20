/* fsinfo.d: the arguments of the fsinfo provider. */
#pragma D depends_on library iotypes.d

/* providers/system/files/fsrecord.h has the same structure. */
typedef struct fs_record {
	uint64_t offset, bytes, irp;
	int64_t extinfo;
	int status;
	uint_t row, oflags, cflags, aflags, sflags;
	char fs[16];
	char mount[256];
	char name[256];
	char dir[1024];
	char path[1024];
	char newname[1024];
} fs_record_t;

inline uint_t fs_row_direnum = 8;

translator fileinfo_t < fs_record_t *r > {
	fi_name = stringof(r->name);
	fi_dirname = stringof(r->dir);
	fi_pathname = stringof(r->path);
	fi_offset = r->offset;
	fi_fs = stringof(r->fs);
	fi_mount = stringof(r->mount);
	fi_oflags = r->oflags;
	fi_cflags = r->cflags;
	fi_aflags = r->aflags;
	fi_sflags = r->sflags;
	fi_bcount = r->bytes;
	fi_extinfo = r->extinfo;
	fi_rstatus = r->status;
	fi_dbuflen = r->row == fs_row_direnum ? r->bytes : 0;
	fi_irp = r->irp;
	fi_dpattern = "";
	fi_newname = stringof(r->newname);
};

provider fsinfo {
	probe create(fs_record_t *f) : (fileinfo_t *f);
	probe cleanup(fs_record_t *f, int mapped) : (fileinfo_t *f, int mapped);
	probe close(fs_record_t *f, int mapped) : (fileinfo_t *f, int mapped);
	probe read(fs_record_t *f) : (fileinfo_t *f);
	probe write(fs_record_t *f) : (fileinfo_t *f);
	probe setinfo(fs_record_t *f) : (fileinfo_t *f);
	probe delete(fs_record_t *f) : (fileinfo_t *f);
	probe rename(fs_record_t *f) : (fileinfo_t *f);
	probe direnum(fs_record_t *f) : (fileinfo_t *f);
	probe flush(fs_record_t *f) : (fileinfo_t *f);
	probe queryinfo(fs_record_t *f) : (fileinfo_t *f);
	probe fscontrol(fs_record_t *f) : (fileinfo_t *f);
	probe done(fs_record_t *f) : (fileinfo_t *f);
	probe dirnotify(fs_record_t *f) : (fileinfo_t *f);
};
