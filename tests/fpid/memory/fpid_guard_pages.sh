# Where the stack ends: a program that runs into its guard page, on purpose and at every instruction
# of its functions, sees what it would see untraced, whatever hooks do there; and all is counted.
# needs: user
# timeout: 240
. tests/lib/lib.sh

sites() { # sites PROV NAME
	for f in leaf pushes frame sums; do printf '%s$target:a.out:%s:%s ' "$1" $f "$2"; done | sed 's/ $//; s/ /,/g'
}

# as_untraced WHAT HOW NAME CLAUSE: the program's own words; what was counted is in $TMP/counts
as_untraced() {
	rm -f "$TMP/counts"
	d -qn "$(sites "${PROV:-fpid}" "$3") { $4 }" -o "$TMP/counts" -c "$TARGETS/guarded $2"
	ends 0 "$1"
	is "$1: $2" "$out" "$("$TARGETS/guarded" "$2")"
	# on a busy machine it may live long enough to be told of its breakpoints
	is "$1: stderr" "$(grep -v 'is a breakpoint, which takes about' "$TMP/err")" ""
}

ones() { # ones FILE: "NAME N" of lines "NAME" and "NAME N": how many times, or the sum
	awk 'NF == 1 { n[$1]++ } NF == 2 && $2 ~ /^[0-9]+$/ { n[$1] += $2 } END { for (k in n) print k, n[k] }' "$1" | sort
}

for how in call jump; do
	for name in entry return; do
		PROV=pid as_untraced "breakpoints" $how $name '@[probefunc] = count();'
		ones "$TMP/counts" >"$TMP/want"
		[ -s "$TMP/want" ] || fail "nothing counted"
		while read -r what clause; do
			as_untraced "$what at $name" $how $name "$clause"
			is "$what at $name, $how" "$(ones "$TMP/counts")" "$(cat "$TMP/want")"
		done <<-'END'
			counts @[probefunc] = count();
			sums @[probefunc] = sum(arg0 == arg0);
			records @[probefunc] = sum(caller * 0 + 1);
			lines printf("%s\n", probefunc);
			arguments printf("%s %d\n", probefunc, arg0 * 0 + arg8 * 0 + 1);
			stacks @[probefunc] = sum(stackdepth * 0 + 1);
			registers @[probefunc] = sum(uregs[R_RSP] * 0 + 1);
			memory @[probefunc] = sum(*(uint64_t *)copyin(uregs[R_RSP], 8) * 0 + 1);
			variables self->n = arg0; @[probefunc] = sum(self->n == arg0);
			two @[probefunc] = count(); printf("%s 0\n", probefunc);
		END
	done
done

# A handler that looks whether the fault is in its own code: OCaml's.
if command -v ocamlopt >/dev/null; then
	cat >"$TMP/deep.ml" <<-'END'
		let rec deep n = 1 + deep (n + 1)
		let () =
		  let caught = ref 0 in
		  for _ = 1 to 2 do
		    try ignore (deep 0) with Stack_overflow -> incr caught
		  done;
		  Printf.printf "caught %d\n" !caught
	END
	(cd "$TMP" && ocamlopt -o deep deep.ml) || fail "ocamlopt"
	stack=$(ulimit -S -s)
	ulimit -S -s 512 # some 16,000 calls
	for clause in '@ = count();' '@ = sum(arg0);' '@[ustackdepth] = count();' '@[caller] = max(timestamp);'; do
		d -x aggsize=64m -x fpidfull=wait -qn "fpid\$target:a.out:camlDeep__deep*:entry { $clause }" -o "$TMP/deep.out" -c "$TMP/deep"
		ends 0 "ocaml $clause"
		is "ocaml $clause" "$out" "caught 2"
	done
	ulimit -S -s "$stack"
fi

# Runtimes that have guard pages of their own.
if command -v sbcl >/dev/null; then
	cat >"$TMP/deep.lisp" <<-'END'
		(defun f (n) (+ 1 (f (+ n 1))))
		(dotimes (i 2) (handler-case (f 1) (storage-condition () (format t "caught~%"))))
	END
	d -qn 'fpid$target:a.out::entry { @ = sum(arg0); }' -o "$TMP/deep.out" -c "sbcl --noinform --non-interactive --no-sysinit --no-userinit --load $TMP/deep.lisp"
	ends 0 "sbcl"
	is "sbcl" "$out" "caught
caught"
fi
if command -v javac >/dev/null; then
	cat >"$TMP/Deep.java" <<-'END'
		public class Deep {
			static void f() { f(); }
			static long g(long n) { return n == 0 ? 0 : 1 + g(n - 1) + String.valueOf(n).length(); }
			public static void main(String[] a) {
				int caught = 0;
				for (int i = 0; i < 3; i++) {
					try { f(); } catch (StackOverflowError e) { caught++; }
					try { g(1L << 40); } catch (StackOverflowError e) { caught++; }
				}
				System.out.println("caught " + caught);
			}
		}
	END
	javac -d "$TMP" "$TMP/Deep.java" || fail "javac"
	d -x fpidfull=wait -Zqn 'fpid$target:libjvm.so::entry { @ = sum(arg0); }' -o "$TMP/deep.out" -c "java -Xss512k -Xshare:auto -cp $TMP Deep"
	ends 0 "java"
	is "java" "$out" "caught 6"
fi
exit $failed
