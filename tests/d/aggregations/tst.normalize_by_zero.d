/*
 * A factor of 0 is an error of the consumer.
 *
 * opts: -q
 */

BEGIN { @ = count(); normalize(@, 0); }
BEGIN { printa("%@d\n", @); exit(0); }
