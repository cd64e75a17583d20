/*
 * printa prints what there is when its record is consumed: what is counted later prints later.
 *
 * opts: -q -x switchrate=200hz
 */

BEGIN { @ = count(); printa("%@d\n", @); }
tick-100ms { @ = count(); printa("%@d\n", @); exit(0); }
