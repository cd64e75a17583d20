/*
 * setopt("quiet") leaves the prefix already printed and drops the newline of its own line.
 */

BEGIN { trace(1); }
BEGIN { setopt("quiet"); }
BEGIN { trace(2); exit(0); }
