/*
 * With bufpolicy=ring new records overwrite old ones; all is printed at the end, no drop reported.
 *
 * opts: -q -x bufpolicy=ring -b 88
 */

BEGIN { printf("%d\n", i++); }
BEGIN { printf("%d\n", i++); }
BEGIN { printf("%d\n", i++); }
BEGIN { printf("%d\n", i++); }
BEGIN { printf("%d\n", i++); }
BEGIN { printf("%d\n", i++); }
BEGIN { printf("%d\n", i++); }
BEGIN { printf("%d\n", i++); }
BEGIN { printf("%d\n", i++); }
BEGIN { exit(0); }
