/*
 * stringof makes a string of what a pointer leads to, as the cast does.
 *
 * opts: -q
 */

BEGIN { c = (char *)alloca(4); c[0] = 'h'; c[1] = 'i'; printf("%s %s %d\n", stringof(c), (string)c, stringof(c) == "hi"); exit(0); }
