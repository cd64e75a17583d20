/*
 * bufsize counts 4 bytes a record and its data: 16 bytes are enough for two integers.
 *
 * opts: -q -x bufpolicy=ring -b 16
 */

BEGIN { trace(1); }
BEGIN { trace(2); }
BEGIN { trace(3); }
BEGIN { exit(0); }
