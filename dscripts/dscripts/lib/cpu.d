/* cpu.d: the current CPU. */
#pragma D depends_on library psinfo.d

typedef int chipid_t;
typedef int lgrp_id_t;

/* pi_state */
inline int P_OFFLINE = 1;
inline int P_ONLINE = 2;

typedef struct processor_info {
	int pi_state;
	char pi_processor_type[16];
	char pi_fputypes[32];
	int pi_clock;		/* MHz; 0: not known */
} processor_info_t;

typedef struct cpuinfo {
	processorid_t cpu_id;
	psetid_t cpu_pset;
	chipid_t cpu_chip;	/* socket */
	lgrp_id_t cpu_lgrp;	/* NUMA node */
	processor_info_t cpu_info;
} cpuinfo_t;

translator processor_info_t < processorid_t c > {
	pi_state = P_ONLINE;
	pi_processor_type = "x86-64";
	pi_fputypes = "x87 sse2";
	pi_clock = cpumhz[c];
};

translator cpuinfo_t < processorid_t c > {
	cpu_id = c;
	cpu_pset = 0;
	cpu_chip = cpuchip[c];
	cpu_lgrp = cpulgrp[c];
	cpu_info = xlate <processor_info_t>(c);
};

inline psetid_t pset = 0;
#pragma D attributes Stable/Stable/Common pset

inline chipid_t chip = cpuchip[cpu];
#pragma D attributes Stable/Stable/Common chip

inline lgrp_id_t lgrp = cpulgrp[cpu];
#pragma D attributes Stable/Stable/Common lgrp
