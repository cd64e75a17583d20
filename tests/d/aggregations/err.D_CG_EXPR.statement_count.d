/*
 * count() stands behind @name = only.
 *
 * line: 8
 * message: aggregating function count( ) may not be called from a D expression (D program context required)
 */

BEGIN { count(); }
