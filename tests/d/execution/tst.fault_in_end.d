/*
 * A fault inside END is reported in the same way.
 *
 * opts: -q
 */

BEGIN { exit(0); }
END { printf("lost\n"); x = 0; trace(1 / x); }
END { printf("end\n"); }
