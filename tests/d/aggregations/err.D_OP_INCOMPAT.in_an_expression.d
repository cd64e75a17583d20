/*
 * An aggregation has no value in D.
 *
 * line: 8
 * message: operands have incompatible types: "aggregation" + "int"
 */

BEGIN { @a = count(); x = @a + 1; }
