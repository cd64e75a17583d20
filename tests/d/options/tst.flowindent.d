/*
 * With flowindent other probes than entry and return print as | function:name in 41 columns.
 *
 * opts: -F
 */

BEGIN { trace(1); }
BEGIN { exit(0); }
