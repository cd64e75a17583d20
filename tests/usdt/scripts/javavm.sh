# Classes and collections of a virtual machine of Java by its static probes.
. tests/lib/lib.sh
. tests/lib/scripts.sh
need java javac
cat >"$TMP/Shop.java" <<'J'
public class Shop {
	static class Apple { int n; }
	public static void main(String[] a) {
		new Apple().n = 1;
		for (int i = 0; i < 3; i++)
			System.gc();
		System.out.println("asked 3");
	}
}
J
javac -d "$TMP" "$TMP/Shop.java" || skip "javac does not work"
script javavm -c "java -Xint -XX:+UseSerialGC -XX:-UsePerfData -cp $TMP Shop"
[ "$(cell classes)" -gt 0 ] || skip "this java has no static probes"
[ "$(cell gc)" -ge "$(said asked)" ] || fail "collections: $out"
is "a class" "$(cell named 'Shop$Apple')" 1
is "shutdowns" "$(cell shutdowns)" 1
finish
