/*
 * Each piece with recording actions prints its own line.
 */

BEGIN { trace(1); if (1 == 1) { trace(2); } trace(3); exit(0); }
