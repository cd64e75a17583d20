/*
 * An unset global string is "", an unset element is NULL.
 *
 * opts: -q
 */

string g;
string a[int];
BEGIN { printf("[%s] %d %d %d\n", g, g == "", g == NULL, a[1] == NULL); exit(0); }
