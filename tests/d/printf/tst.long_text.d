/*
 * A long text is printed whole.
 *
 * opts: -q
 */

BEGIN { printf("%-200s|\n%300d|\n", "left", 7); exit(0); }
