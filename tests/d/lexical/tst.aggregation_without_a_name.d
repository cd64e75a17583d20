/*
 * A bare @ is the aggregation named _.
 *
 * opts: -q
 */

BEGIN { @ = count(); @_ = count(); printa("%@d\n", @); exit(0); }
