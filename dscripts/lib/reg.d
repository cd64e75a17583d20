/* reg.d: the arguments of the reg provider. */

typedef struct registry {
	int64_t r_index;	/* enumkey, enumvaluekey: where in the folder; else -1 */
	int r_status;		/* 0, or -errno */
	uint64_t r_intime;	/* when the call was made, as timestamp */
	string r_rname;		/* the path of the key, or its name (-x regkeys=sysctl) */
	string r_value;		/* what was read; before a sysctl was written */
	string r_newvalue;	/* what was written */
} registry_t;

/* providers/system/files/prov_reg.c has the same structure. */
typedef struct reg_record {
	int64_t index;
	uint64_t intime;
	int status;
	char rname[1024];
	char value[65];
	char newvalue[65];
} reg_record_t;

translator registry_t < reg_record_t *r > {
	r_index = r->index;
	r_status = r->status;
	r_intime = r->intime;
	r_rname = stringof(r->rname);
	r_value = stringof(r->value);
	r_newvalue = stringof(r->newvalue);
};

provider reg {
	probe create(reg_record_t *r) : (registry_t *r);
	probe open(reg_record_t *r) : (registry_t *r);
	probe delete(reg_record_t *r) : (registry_t *r);
	probe query(reg_record_t *r) : (registry_t *r);
	probe setvalue(reg_record_t *r) : (registry_t *r);
	probe delvalue(reg_record_t *r) : (registry_t *r);
	probe queryvalue(reg_record_t *r) : (registry_t *r);
	probe enumkey(reg_record_t *r) : (registry_t *r);
	probe enumvaluekey(reg_record_t *r) : (registry_t *r);
	probe querymulvalue(reg_record_t *r) : (registry_t *r);
	probe setinfo(reg_record_t *r) : (registry_t *r);
	probe flush(reg_record_t *r) : (registry_t *r);
	probe kcbcreate(reg_record_t *r) : (registry_t *r);
	probe kcbdelete(reg_record_t *r) : (registry_t *r);
	probe virtualize(reg_record_t *r) : (registry_t *r);
	probe close(reg_record_t *r) : (registry_t *r);
};
