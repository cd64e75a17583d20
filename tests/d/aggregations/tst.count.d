/*
 * count() counts its calls.
 *
 * opts: -q
 */

BEGIN, BEGIN, BEGIN { @ = count(); }
BEGIN { exit(0); }
