/*
 * %x prints the value in its own size.
 *
 * opts: -q
 */

BEGIN { printf("%x %x %x %x\n", (char)-1, (short)-1, -1, -1L); exit(0); }
