/*
 * Blanks may stand around the # of a control line.
 */

  #   pragma   D   option   quiet
BEGIN { printf("quiet\n"); exit(0); }
