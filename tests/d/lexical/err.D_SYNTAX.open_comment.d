/*
 * A comment must end before the file does.
 *
 * message: end-of-file encountered before matching ?/
 */

BEGIN { exit(0); }
/* no end
