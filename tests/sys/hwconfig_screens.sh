# Graphics cards and screens: a tree as the kernel's, in a mount namespace, since test machines have none.
# needs: root
. tests/lib/lib.sh
unshare -m sh -c 'mount -t tmpfs none /sys/class' 2>/dev/null || skip "nothing can be mounted on /sys/class"

# edid FILE: 1920 x 1080 on 508 x 286 mm, of maker ABC, called "Test Screen"
cat >"$TMP/edid.py" <<'END'
import sys
e = bytearray(128)
e[0:8] = b"\0\xff\xff\xff\xff\xff\xff\0"
maker = (1 << 10) | (2 << 5) | 3
e[8:10] = bytes([maker >> 8, maker & 255])
d = bytearray(18)
d[0:2] = b"\x02\x3a"
d[2], d[4], d[5], d[7] = 1920 & 255, 1920 >> 8 << 4, 1080 & 255, 1080 >> 8 << 4
d[12], d[13], d[14] = 508 & 255, 286 & 255, (508 >> 8) << 4 | 286 >> 8
e[54:72] = d
e[72:90] = b"\0\0\0\xfc\0Test Screen\n "
sys.stdout.buffer.write(e)
END
need python3
python3 "$TMP/edid.py" >"$TMP/edid" || fail "no EDID"
cat >"$TMP/tree.sh" <<'END'
mount -t tmpfs none /sys/class || exit
cd /sys/class && mkdir -p drm/card0 devices/0000:00:02.0 drivers/i9 drm/card0-DP-1 drm/card0-DP-2 drm/card0-HDMI-A-1 drm/renderD128
ln -s ../../devices/0000:00:02.0 drm/card0/device
ln -s ../../drivers/i9 devices/0000:00:02.0/driver
echo 0x8086 >devices/0000:00:02.0/vendor
echo 0x9a49 >devices/0000:00:02.0/device
echo 1 >devices/0000:00:02.0/boot_vga
echo connected | tee drm/card0-DP-1/status >drm/card0-HDMI-A-1/status
echo disconnected >drm/card0-DP-2/status
cp "$1/edid" drm/card0-DP-1
printf '1280x720\n640x480\n' >drm/card0-HDMI-A-1/modes
: >drm/card0-HDMI-A-1/edid
exec "$DTRACE" -qn 'hwconfig:::video { printf("%s %x %x %d %s %s [%s]\n", args[0]->name, args[0]->vendor, args[0]->device, args[0]->is_first,
		args[0]->driver, args[0]->bus, args[0]->missing); }
	hwconfig:::dpi { printf("%s %dx%d %dx%d %d %s %s [%s]\n", args[0]->name, args[0]->width, args[0]->height, args[0]->width_mm,
		args[0]->height_mm, args[0]->dpi, args[0]->vendor, args[0]->model, args[0]->missing); } tick-1ms { exit(0); }'
END
DTRACE=$DTRACE unshare -m sh "$TMP/tree.sh" "$TMP" >"$TMP/out" 2>"$TMP/err" </dev/null || fail "$(cat "$TMP/err")"
is "cards and screens" "$(grep . "$TMP/out" | sort)" "card0 8086 9a49 1 i9 0000:00:02.0 []
card0-DP-1 1920x1080 508x286 96 ABC Test Screen []
card0-HDMI-A-1 1280x720 0x0 0   [vendor model width_mm height_mm dpi]"
is "errors" "$(cat "$TMP/err")" ""

# where there is none nothing fires, and nothing is wrong
DTRACE=$DTRACE unshare -m sh -c 'mount -t tmpfs none /sys/class && exec "$DTRACE" -qn "hwconfig:::video, hwconfig:::dpi { exit(7); } tick-1ms { exit(0); }"' \
	>"$TMP/out" 2>"$TMP/err" </dev/null || fail "without a card: $(cat "$TMP/err")"
finish
