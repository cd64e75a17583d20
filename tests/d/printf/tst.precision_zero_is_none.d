/*
 * docs/spec/d-language.md §12.7: precision 0 is ignored (treated as none): it pads nothing and cuts nothing.
 * opts: -q
 */
BEGIN
{
	printf("[%5.0d|%-5.0d|%05.0d|%.0d|%5.*d|%#6.0x|%5.0s|%.0s|%.0d]", 42, 42, 42, 42, 0, 42, 42, "ab", "ab", 0);
	exit(0);
}
