/*
 * Everything in scratch memory dies at the end of the clause.
 *
 * opts: -q
 */

BEGIN { s = (char *)alloca(16); *s = 'x'; trace(*s); }
BEGIN { trace(*s); }
BEGIN { *s = 'y'; }
BEGIN { trace(*(char *)alloca(16)); exit(0); }
ERROR { printf(" %d %d", arg1, arg4); }
