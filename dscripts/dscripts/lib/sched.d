/* sched.d: the arguments of the sched provider. */
#pragma D depends_on library task.d
#pragma D depends_on library cpu.d

provider sched {
	probe off__cpu(task_record_t *t) : (lwpsinfo_t *t, psinfo_t *t);
	probe on__cpu();
	probe sleep();
	probe preempt();
	probe enqueue(task_record_t *t, task_record_t *p, processorid_t c) :
		(lwpsinfo_t *t, psinfo_t *p, cpuinfo_t *c);
	probe dequeue(task_record_t *t, task_record_t *p, processorid_t c, int n) :
		(lwpsinfo_t *t, psinfo_t *p, cpuinfo_t *c, int n);
	probe wakeup(task_record_t *t) : (lwpsinfo_t *t, psinfo_t *t);
	probe tick(task_record_t *t) : (lwpsinfo_t *t, psinfo_t *t);
	probe change__pri(task_record_t *t, task_record_t *p, int pri) :
		(lwpsinfo_t *t, psinfo_t *p, int pri);
	probe surrender(task_record_t *t) : (lwpsinfo_t *t, psinfo_t *t);
	probe remain__cpu();
};
