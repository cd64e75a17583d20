/*
 * A NULL string argument is an address 0 and faults.
 *
 * opts: -q
 */

BEGIN { trace(strlen(NULL)); }
BEGIN { trace(basename(NULL)); }
BEGIN { trace(index(NULL, "a")); }
BEGIN { trace(strjoin(NULL, "a")); }
BEGIN { trace(substr(NULL, 1)); }
BEGIN { trace(strstr("a", NULL)); }
BEGIN { trace(toupper(NULL)); }
BEGIN { exit(0); }
ERROR { @[arg4, arg5] = count(); }
