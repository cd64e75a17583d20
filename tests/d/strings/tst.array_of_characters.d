/*
 * char arrays may be compared with and assigned to strings.
 *
 * opts: -q
 */

char c[4];
string s;
BEGIN { c[0] = 'h'; c[1] = 'i'; s = c; printf("%s %d %d\n", s, c == "hi", strlen(c)); exit(0); }
