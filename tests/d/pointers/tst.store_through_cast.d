/*
 * A cast pointer stores in the size of its type.
 *
 * opts: -q
 */

BEGIN { p = (int *)alloca(8); *p = -1; *(short *)p = 0; printf("%x\n", *p); exit(0); }
