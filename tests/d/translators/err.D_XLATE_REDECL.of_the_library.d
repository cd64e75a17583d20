/*
 * The libraries translate threads, whose type is the kernel's: it is looked for before the members are.
 *
 * line: 10
 * message: translator from struct task_struct ? to psinfo_t has already been declared
 */

translator psinfo_t < struct task_struct *t > {
	no_such_member = 1;
};
BEGIN { exit(0); }
