# The follower for a box without python: POSIX sh with tail, head, wc, ls, sleep, and what else
# is there. Its parts are sent as one text, main.sh last, behind lines that set its variables and
# its roots ($@). It runs with LC_ALL=C so that lengths are bytes, and writes nothing to the box.
# Frames are those of the follower in python. No variable is local: POSIX sh has none.

# Frames, the clock and the box's tools.

nl='
'
tab='	'
blanks=" $tab$nl"

frame() { # KIND FIELD...
	kind=$1
	shift
	lengths=
	for field; do lengths="$lengths ${#field}"; done
	printf '%s %s%s\n' "@@$M" "$kind" "$lengths"
	for field; do printf '%s' "$field"; done
	echo
}

has() { command -v "$1" >/dev/null 2>&1; }

# Seconds since boot, by a builtin alone; the wall clock is asked once.
uptime() {
	if { IFS=' .' read -r up up_rest </proc/uptime; } 2>/dev/null; then return; fi
	up=$(date +%s)
}

clock() {
	uptime
	now=$((up + boot))
}

start_clock() {
	uptime
	wall=$(date +%s 2>/dev/null)
	if [ -z "$wall" ]; then
		while read -r key value rest; do
			[ "$key" = btime ] && wall=$((value + up))
		done </proc/stat
	fi
	boot=$((wall - up))
	clock
}

tools() {
	missing=
	for tool in stat df date dd sha256sum tr readlink; do
		if has $tool; then eval "have_$tool=1"; else eval "have_$tool= missing=\"$missing $tool\""; fi
	done
	[ -r /proc/self/stat ] || missing="$missing /proc"
	if [ -d /proc/driver/nvidia ] && ! has nvidia-smi; then missing="$missing nvidia-smi"; fi
	ticks=$(getconf CLK_TCK 2>/dev/null) || ticks=100
	missing=${missing# }
	have_fd= ls_times=
	command exec 5</proc/self/stat 2>/dev/null && [ -n "$(head -c 1 /proc/self/fd/5 2>/dev/null)" ] && have_fd=1
	exec 5<&-
	! ls -d --time-style=+%s / >/dev/null 2>&1 || ls_times=--time-style=+%s
}
