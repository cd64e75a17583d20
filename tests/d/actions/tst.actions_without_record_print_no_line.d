/*
 * Assignments and aggregations alone make no line.
 */

BEGIN { x = 1; }
BEGIN { @ = count(); }
BEGIN { trace("only this"); }
BEGIN { exit(0); }
