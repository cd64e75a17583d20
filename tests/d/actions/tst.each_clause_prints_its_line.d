/*
 * Each clause that records gives its own line.
 */

BEGIN { trace(1); }
BEGIN { trace(2); trace(3); }
BEGIN { exit(0); }
