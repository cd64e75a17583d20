/*
 * printa happens in record order: what is counted later prints later.
 *
 * opts: -q
 */

BEGIN { @ = count(); printa("%@d\n", @); }
BEGIN { @ = count(); printa("%@d\n", @); exit(0); }
