# Inlines and translators that use each other twice come to 2^n nodes: that is an error, not all memory.
. tests/lib/lib.sh

{
	echo 'inline int a0 = pid;'
	for i in $(seq 39); do echo "inline int a$i = a$((i - 1)) + a$((i - 1));"; done
	echo 'BEGIN { trace(a39); exit(0); }'
} >"$TMP/inlines.d"
{
	echo 'inline int f0[int x] = x + x;'
	for i in $(seq 39); do echo "inline int f$i[int x] = f$((i - 1))[f$((i - 1))[x]];"; done
	echo 'BEGIN { trace(f39[1]); exit(0); }'
} >"$TMP/parameters.d"
{
	echo 'struct o0 { int a; }; translator struct o0 < int p > { a = p; };'
	for i in $(seq 39); do
		echo "struct o$i { int a; };"
		x="xlate <struct o$((i - 1))>(p).a"
		echo "translator struct o$i < int p > { a = $x + $x; };"
	done
	echo 'BEGIN { trace(xlate <struct o39>(1).a); exit(0); }'
} >"$TMP/translators.d"
for what in inlines parameters translators; do
	d -qs "$TMP/$what.d"
	ends 1 "$what"
	like "$what" "$err" "*DIF program exceeds maximum program size"
done
finish
