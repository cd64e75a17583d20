# Arguments of a static probe are what the operands of its note say, with size and sign.
# needs: user
. tests/lib/lib.sh

d -qn 'shop$target:::constants { printf("c %d %d %d %d %d %d %d %d %d\n", arg0, arg1, arg2, arg3,
		arg4, arg5, arg6, arg7, arg8); }
	shop$target:::symbols { printf("s %d %d %d %d %d %d %d\n", arg0, arg1, arg2, arg3, arg4, arg5,
		arg6); }
	shop$target:::registers { printf("r %x %x %x %x %x %x %x %x %x %x\n", arg0, arg1, arg2, arg3,
		arg4, arg5, arg6, arg7, arg8, arg9); }
	shop$target:::memory { printf("m %d %d %d %x\n", arg0, arg1, arg2, arg3); }
	shop$target:::sell-it { printf("%s %d %s\n", probename, arg0, copyinstr(arg1)); }
	shop$target:::open { printf("o %d\n", args[0]); }' -o "$TMP/traced" -c "$TARGETS/usdt 2"
ends 0 usdt
is "values" "$(cat "$TMP/traced")" "c 7 -7 255 -1 65535 -1 -1 -1 12
s 10 -11 13 200 -55 0 0
r 8182838485868788 85868788 ffffffff85868788 8788 ffffffffffff8788 88 ffffffffffffff88 87 8182838485868788 ffffffff85868788
m 10 -11 12 0
sell-it 0 apple
o 1
c 7 -7 255 -1 65535 -1 -1 -1 12
s 10 -11 13 200 -55 0 0
r 8182838485868789 85868789 ffffffff85868789 8789 ffffffffffff8789 89 ffffffffffffff89 87 8182838485868789 ffffffff85868789
m -11 12 12 0
sell-it 1 pear
o 1"
is "the program sees its semaphore" "$out" "open 1
open 1"
is "messages" "$err" ""

# Typed arguments follow sizes and signs.
d -lvn 'shop$target:::constants,shop$target:::symbols' -c "$TARGETS/usdt"
ends 0 "-lv"
is "types" "$(echo "$out" | sed -n 's/^.*args/args/p' | tr '\n' ' ')" "args[0]: unsigned int args[1]: int args[2]: unsigned char args[3]: char args[4]: unsigned short args[5]: short args[6]: unsigned long args[7]: long args[8]: unsigned long args[0]: int args[1]: int args[2]: int args[3]: unsigned char args[4]: char args[5]: unsigned int args[6]: float "
d -x errtags -qn 'shop$target:::symbols { trace(args[5]); }' -c "$TARGETS/usdt"
ends 1 "an operand that cannot be understood"
like "an operand that cannot be understood" "$err" "*where it is cannot be told from the note*"

# Floating-point numbers: args[n] in registers and in memory; argn is 0 or the bits.
d -qn 'shop$target:::scale { printf("%.2f %.1f %g %d %d\n", args[0], args[1], args[2], args[3], arg0); }' -c "$TARGETS/usdtfloat"
ends 0 floats
is "floats" "$out" "0.00 -0.0 -1.5 0 0
0.50 -10000000000.0 -1.5 1 0
1.00 -20000000000.0 -1.5 2 0"
d -lvn 'shop$target:::scale' -c "$TARGETS/usdtfloat"
is "their types" "$(echo "$out" | sed -n 's/^.*args/args/p' | tr '\n' ' ')" "args[0]: float args[1]: double args[2]: double args[3]: long args[4]: float "
finish
