# The follower for a box without python: POSIX sh with tail, head, wc, ls, sleep, and what else
# is there. It is sent behind lines that set its variables and its roots ($@), runs with LC_ALL=C
# so that lengths are bytes, and writes nothing to the box. Frames are those of the other follower.
#
# Three processes: one turns the watcher's pings into lines, one ticks every second and asks
# nvidia-smi, the last one reads those lines and does all the work and all the writing.

nl='
'
tab='	'
blanks=" $tab$nl"

# -- frames ------------------------------------------------------------------------------------

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

# -- files -------------------------------------------------------------------------------------

# Write SIZE bytes of a file from an OFFSET on. tail alone may read everything before it.
bytes() { # PATH OFFSET SIZE
	if [ -n "$have_dd" ]; then
		dd if="$1" bs=4096 skip=$(($2 / 4096)) count=$(($3 / 4096 + 2)) 2>/dev/null |
			tail -c +$(($2 % 4096 + 1)) | head -c "$3"
	else
		tail -c +$(($2 + 1)) "$1" 2>/dev/null | head -c "$3"
	fi
}

digest() { # PATH OFFSET SIZE: sets $digest, empty where no tool can
	digest=
	if [ -n "$have_sha256sum" ]; then
		digest=$(bytes "$1" "$2" "$3" | sha256sum)
		digest=${digest%% *}
	fi
}

# Sets size, mtime, inode, device, mode, owner of one line of stat's, or asks ls.
take_stat() { # LINE
	device=${1%% *} rest=${1#* }
	inode=${rest%% *} rest=${rest#* }
	size=${rest%% *} rest=${rest#* }
	mtime=${rest%% *} rest=${rest#* }
	[ "$mtime" != - ] || guess_mtime
	mode=$((0${rest%% *})) owner=${rest#* }
	stat="$size $mtime $inode $device $mode $owner"
}

# Where no tool tells change times, a file changed when its size or inode was seen to change.
guess_mtime() {
	mtime=$now
	case $sig in "$size "*" $inode $device "*) mtime=${sig#* } mtime=${mtime%% *} ;; esac
}

# One line for each file: DEVICE INODE SIZE MTIME MODE OWNER, as stat -c would print it.
stats() { # PATH...
	if [ -n "$have_stat" ]; then
		stat -Lc '%d %i %s %Y %a %U' "$@" 2>/dev/null
		return
	fi
	IFS=$blanks
	for one; do
		# shellcheck disable=SC2086
		line=$(ls -Llnid $ls_times "$one" 2>/dev/null)
		set -f
		# shellcheck disable=SC2086
		set -- $line
		set +f
		changed=$7
		[ -n "$ls_times" ] || changed=$(date -r "$one" +%s 2>/dev/null) || changed=-
		permissions "$2"
		echo "0 $1 $6 $changed $octal $4"
	done
}

permissions() { # -rwxr-x---: sets $octal
	octal=
	letters=${1#?}
	while [ ${#letters} -ge 3 ]; do
		rest=${letters#???} three=${letters%"${letters#???}"} digit=0
		case $three in r??) digit=$((digit + 4)) ;; esac
		case $three in ?w?) digit=$((digit + 2)) ;; esac
		case $three in ??[xst]) digit=$((digit + 1)) ;; esac
		octal=$octal$digit letters=$rest
	done
}

add_file() { # RUN KIND NAME PATH: kind r(eplaced), a(ppended), t(ailed)
	files=$((files + 1))
	eval "f_run_$files=\$1 f_kind_$files=\$2 f_name_$files=\$3 f_path_$files=\$4"
	eval "f_sig_$files= f_inode_$files= f_offset_$files=0 f_misses_$files=0 f_trouble_$files="
	eval "f_head_$files= f_tail_$files= f_known_$files=\$r_known_$1 f_mtime_$files=0"
}

gone_file() { # INDEX
	eval "known=\$f_known_$1 misses=\$f_misses_$1 run=\$f_run_$1 name=\$f_name_$1 mtime=\$f_mtime_$1"
	[ -n "$known" ] || return 0
	misses=$((misses + 1))
	eval "f_misses_$1=$misses"
	[ $misses -ge 2 ] || [ "$mtime" = 0 ] || return 0
	eval "run_path=\$r_path_$run"
	frame g "$run_path" "$name"
	eval "f_known_$1= f_sig_$1= f_inode_$1= f_misses_$1=0 f_trouble_$1= f_mtime_$1=0"
}

look_at() { # INDEX LINE
	i=$1
	eval "run=\$f_run_$i kind=\$f_kind_$i name=\$f_name_$i path=\$f_path_$i sig=\$f_sig_$i"
	take_stat "$2"
	eval "f_misses_$i=0 run_path=\$r_path_$run newest=\$r_newest_$run"
	eval "f_mtime_$i=\$mtime"
	[ "$name" = "$CONSOLE" ] || [ "$mtime" -le "$newest" ] || eval "r_newest_$run=\$mtime"
	[ "$stat" != "$sig" ] || return 0
	if [ ! -r "$path" ]; then
		frame T "$run_path" "$name" EACCES "$stat"
		eval "f_sig_$i=\$stat f_known_$i=1 f_trouble_$i=1"
		return 0
	fi
	if [ "$kind" = r ]; then take_whole; else take_appended; fi
}

take_whole() {
	if [ "$size" -gt "$REPLACED_LIMIT" ]; then
		frame T "$run_path" "$name" EFBIG "$stat"
	else
		data=$(head -c "$REPLACED_LIMIT" "$path" 2>/dev/null && echo .) || return 0
		data=${data%.}
		frame W "$run_path" "$name" "$stat" "$data"
		[ "$name" != "$STATUS" ] || take_status
	fi
	eval "f_sig_$i=\$stat f_known_$i=1 f_trouble_$i="
}

take_status() {
	value=${data#*\"pid\":}
	value=${value#"${value%%[! ]*}"}
	case $data in *\"pid\":*) value=${value%%[!0-9]*} ;; *) value= ;; esac
	eval "r_pid_$run=\$value"
}

# Everything is read through one descriptor, so that it is one file even if it is renamed now.
take_appended() {
	source=$path
	if [ -n "$have_fd" ]; then
		command exec 5<"$path" 2>/dev/null || return 0
		source=/proc/self/fd/5
		take_stat "$(stats "$source")"
	fi
	eval "was=\$f_inode_$i offset=\$f_offset_$i trouble=\$f_trouble_$i"
	sent=
	if [ -z "$was" ]; then
		resume || { pick_up; begin; }
	elif [ "$was" != "$device:$inode" ]; then
		drain
		begin
	elif [ "$size" -lt "$offset" ] || ! intact; then
		begin
	fi
	eval "f_inode_$i=\$device:\$inode f_known_$i=1 f_trouble_$i="
	while [ "$offset" -lt "$size" ]; do
		if [ "$kind" = t ] && [ $((size - offset)) -gt "$BACKLOG" ]; then begin; fi
		count=$((size - offset))
		[ $count -le 524288 ] || count=524288
		send_bytes "$source" $count
	done
	[ -n "$sent" ] && [ -z "$trouble" ] || send_bytes "$source" 0
	eval "f_sig_$i=\$stat f_offset_$i=\$offset"
	remember
	[ -z "$have_fd" ] || exec 5<&-
}

send_bytes() { # PATH COUNT
	printf '%s b %s %s %s %s %s\n' "@@$M" ${#run_path} ${#name} ${#offset} ${#stat} "$2"
	printf '%s' "$run_path$name$offset$stat"
	[ "$2" = 0 ] || bytes "$1" "$offset" "$2"
	echo
	offset=$((offset + $2))
	sent=1
}

# The first and the newest sent bytes, as far as a variable can hold them. Where the first ones
# are others than before, the file was cut while it was read: it begins anew at the next look.
remember() {
	before=64
	[ "$offset" -ge 64 ] || before=$offset
	tail=$(bytes "$source" $((offset - before)) $before && echo .)
	if same_start; then
		eval "f_head_$i=\$fresh f_tail_$i=\$tail f_from_$i=\$((offset - before)) f_before_$i=\$before"
	else
		eval "f_sig_$i= f_inode_$i="
	fi
}

same_start() { # of $path as $head says, which ends in a dot
	fresh=$(head -c 256 "$source" 2>/dev/null && echo .)
	case $fresh in "${head%.}"*) return 0 ;; esac
	return 1
}

intact() {
	eval "head=\$f_head_$i tail=\$f_tail_$i from=\$f_from_$i before=\$f_before_$i"
	[ "$tail" = "$(bytes "$source" "$from" "$before" && echo .)" ] && same_start
}

begin() {
	offset=0
	if [ "$kind" = t ] && [ "$size" -gt "$TAIL" ]; then
		offset=$((size - TAIL))
		line=$(bytes "$source" "$offset" "$TAIL" | head -n 1 | wc -c)
		[ $((line)) -ge "$TAIL" ] || offset=$((offset + line))
	fi
	head=$(head -c 256 "$source" 2>/dev/null && echo .)
	head_size=256
	[ "$size" -ge 256 ] || head_size=$size
	digest "$source" 0 $head_size
	[ -n "$digest" ] || head_size=0
	frame B "$run_path" "$name" "$offset" "$digest" "$head_size" "$stat"
	sent=1
}

# What was written to a file before it was renamed: found by its inode, while it lies near.
drain() {
	find_old
	[ -f "$old" ] && [ -r "$old" ] || return 0
	length=$(wc -c <"$old")
	count=$((length - offset))
	[ $count -gt 0 ] && [ $count -le "$BACKLOG" ] || return 0
	send_bytes "$old" $count
}

find_old() {
	old=
	folder=${path%/*}
	listing=$(ls -1i "$folder" 2>/dev/null)
	IFS=$nl
	set -f
	for line in $listing; do
		line=${line#"${line%%[! ]*}"}
		[ "${line%% *}" != "${was#*:}" ] || old=$folder/${line#* }
	done
	set +f
	IFS=$blanks
}

resume() {
	key=0 token=
	while [ $key -lt "$TOKENS" ]; do
		key=$((key + 1))
		eval "token_path=\$t_path_$key token_name=\$t_name_$key"
		[ "$token_path" = "$run_path" ] && [ "$token_name" = "$name" ] || continue
		eval "token=\$t_token_$key t_name_$key="
		try_token
		return
	done
	return 1
}

try_token() {
	# shellcheck disable=SC2086
	set -- $token
	[ "$2:$3" = "$device:$inode" ] && [ "$size" -ge "$1" ] && [ -n "$have_sha256sum" ] || return 1
	digest "$source" 0 "$5"
	[ "$digest" = "$4" ] || return 1
	digest "$source" $(($1 - $7)) "$7"
	[ "$digest" = "$6" ] || return 1
	offset=$1
	head=$(head -c "$5" "$source" 2>/dev/null && echo .)
}

# What was written to the token's file before it was renamed while nobody watched.
pick_up() {
	[ -n "$token" ] || return 0
	# shellcheck disable=SC2086
	set -- $token
	[ "$2:$3" != "$device:$inode" ] || return 0
	was=$2:$3 offset=$1
	find_old
	[ -n "$old" ] || return 0
	digest "$old" 0 "$5"
	[ "$digest" = "$4" ] || return 0
	digest "$old" $(($1 - $7)) "$7"
	[ "$digest" != "$6" ] || drain
}

# Look at the files of busy runs, or of all, or at those of one name: one stat for all of them.
look() { # all|hot [NAME]
	set_of=$1 wanted=$2
	set --
	list=
	i=0
	while [ $i -lt $files ]; do
		i=$((i + 1))
		eval "path=\$f_path_$i run=\$f_run_$i name=\$f_name_$i"
		[ -z "$wanted" ] || [ "$name" = "$wanted" ] || continue
		eval "newest=\$r_newest_$run alive=\$r_alive_$run gone=\$r_gone_$run"
		[ -z "$gone" ] || continue
		[ "$set_of" = all ] || [ -n "$alive" ] || [ "$newest" -gt $((now - 900)) ] || continue
		if [ -f "$path" ]; then
			set -- "$@" "$path"
			list="$list $i"
		else
			gone_file $i
		fi
	done
	[ $# -gt 0 ] || return 0
	count=$#
	IFS=$nl
	set -f
	# shellcheck disable=SC2046
	set -- $(stats "$@")
	set +f
	IFS=$blanks
	[ $# = $count ] || return 0
	for line; do
		list=${list# }
		look_at "${list%% *}" "$line"
		list=${list#* }
	done
}

# -- runs --------------------------------------------------------------------------------------

walk() { # DIRECTORY LEVELS ROOT
	for marker in $MARKERS; do
		if [ -f "$1/$marker" ]; then
			found_run "$1" "$3"
			break
		fi
	done
	[ "$2" -gt 0 ] || return 0
	for entry in "$1"/* "$1"/.[!.]*; do
		[ -d "$entry" ] && [ ! -L "$entry" ] || continue
		case " $PRUNED " in *" ${entry##*/} "*) continue ;; esac
		walk "$entry" $(($2 - 1)) "$3"
	done
}

found_run() { # PATH ROOT
	[ -z "$only" ] || [ "$1" = "$only" ] || [ "$1" = "$2/$only" ] || return 0
	case $seen in *"$nl/$nl$1$nl/$nl"*) return 0 ;; esac
	seen="$seen$1$nl/$nl"
	case $followed in *"$nl/$nl$1$nl/$nl"*) return 0 ;; esac
	[ $((runs + new)) -lt "$MAX_RUNS" ] || return 0
	newest_marker "$1"
	new=$((new + 1))
	eval "n_path_$new=\$1 n_root_$new=\$2 n_marker_$new=\$marker_path"
}

# Paths stand between lines that hold nothing but a slash, which no path can.
search() {
	new=0
	seen="$nl/$nl"
	r=0
	while [ $r -lt $roots ]; do
		r=$((r + 1))
		eval "root=\$root_$r"
		walk "$root" "$DEPTH" "$root"
	done
	miss_runs
	announce
}

miss_runs() {
	k=0
	while [ $k -lt $runs ]; do
		k=$((k + 1))
		eval "misses=\$r_misses_$k path=\$r_path_$k gone=\$r_gone_$k"
		[ -z "$gone" ] || continue
		misses=$((misses + 1))
		case $seen in *"$nl/$nl$path$nl/$nl"*) misses=0 ;; esac
		eval "r_misses_$k=$misses"
		if [ $misses -ge 3 ]; then
			eval "r_gone_$k=1"
			followed=${followed%%"$nl/$nl$path$nl/$nl"*}$nl/$nl${followed#*"$nl/$nl$path$nl/$nl"}
			frame r "$path"
		fi
	done
}

# Announce new runs, the one whose marker changed last first.
announce() {
	left=$new
	while [ $left -gt 0 ]; do
		best=0
		n=0
		while [ $n -lt $new ]; do
			n=$((n + 1))
			eval "path=\$n_path_$n marker_path=\$n_marker_$n"
			[ -n "$path" ] || continue
			if [ $best = 0 ] || [ "$marker_path" -nt "$best_marker" ]; then
				best=$n best_marker=$marker_path
			fi
		done
		eval "add_run \"\$n_path_$best\" \"\$n_root_$best\"; n_path_$best="
		left=$((left - 1))
	done
}

newest_marker() { # PATH: sets $marker_path
	marker_path=$1
	for marker in $MARKERS; do
		[ -f "$1/$marker" ] || continue
		if [ "$marker_path" = "$1" ] || [ "$1/$marker" -nt "$marker_path" ]; then
			marker_path=$1/$marker
		fi
	done
}

add_run() { # PATH ROOT
	runs=$((runs + 1))
	id=${1#"$2"/}
	[ "$1" != "$2" ] || id=${1##*/}
	eval "r_path_$runs=\$1 r_root_$runs=\$2 r_misses_$runs=0 r_gone_$runs="
	followed="$followed$1$nl/$nl"
	[ -n "$settled" ] && newest_run=$runs
	eval "r_newest_$runs=0 r_alive_$runs=1 r_pid_$runs= r_console_$runs= r_weights_$runs="
	eval "r_facts_$runs= r_known_$runs= r_tree_$runs="
	key=0
	while [ $key -lt "$TOKENS" ]; do
		key=$((key + 1))
		eval "token_path=\$t_path_$key"
		[ "$token_path" != "$1" ] || eval "r_known_$runs=1"
	done
	frame R "$1" "$id" "$2"
	add_file $runs r "$STATUS" "$1/$STATUS"
	for name in $APPENDED; do add_file $runs a "$name" "$1/$name"; done
	for name in $REPLACED; do add_file $runs r "$name" "$1/$name"; done
	for name in $TAILED; do add_file $runs t "$name" "$1/$name"; done
	[ -n "$machine" ] || add_file $runs t "$CONSOLE" "$1/$CONSOLE"
}

# -- weights -----------------------------------------------------------------------------------

weights() { # all|hot
	k=0
	while [ $k -lt $runs ]; do
		k=$((k + 1))
		eval "path=\$r_path_$k newest=\$r_newest_$k alive=\$r_alive_$k gone=\$r_gone_$k"
		[ -z "$gone" ] || continue
		[ "$1" = all ] || [ -n "$alive" ] || [ "$newest" -gt $((now - 900)) ] || continue
		list_weights "$path/$WEIGHTS"
	done
}

list_weights() { # DIRECTORY
	set -- "$1"/*"$SUFFIX"
	[ -f "$1" ] || set --
	lines=
	[ $# = 0 ] || lines=$(stats "$@")
	eval "known=\$r_weights_$k"
	[ "$lines" != "$known" ] || return 0
	rows=
	fresh=
	IFS=$nl
	set -f
	for line in $lines; do
		IFS=$blanks
		sig=
		take_stat "$line"
		weight_state "$1"
		rows="$rows frame_row_$#"
		eval "frame_row_$#=\"\$size \$mtime \$inode \$complete \${1##*/}\""
		shift
	done
	set +f
	IFS=$blanks
	for row in $rows; do eval "set -- \"\$@\" \"\$$row\""; done
	frame C "$path" "$@"
	[ -n "$fresh" ] || eval "r_weights_$k=\$lines"
}

# A zip ends with its end record; a file that was just written is not looked into.
weight_state() { # PATH
	complete=-
	if [ "$mtime" -gt $((now - 2)) ]; then
		fresh=1
	elif [ "$(head -c 4 "$1" 2>/dev/null)" = "$zip_start" ]; then
		complete=0
		[ "$(tail -c 22 "$1" | head -c 4)" != "$zip_end" ] || complete=1
	elif [ "$size" -lt 4 ] || [ "$(head -c 1 "$1" 2>/dev/null)" != "$pickle" ]; then
		complete=0
	fi
}

# -- processes ---------------------------------------------------------------------------------

process() { # PID: sets letter, parent, start; fails where there is no such process
	{ read -r line </proc/"$1"/stat; } 2>/dev/null || return 1
	# shellcheck disable=SC2086
	set -- ${line##*)}
	letter=$1 parent=$2 start=${20}
}

command_line() { # PID: sets $command
	if [ -n "$have_tr" ]; then
		command=$(tr '\000' ' ' </proc/"$1"/cmdline 2>/dev/null | head -c 1000)
	elif has ps; then
		command=$(ps -o args= -p "$1" 2>/dev/null)
	else
		command=$(head -c 1000 /proc/"$1"/cmdline 2>/dev/null)
	fi
	command=${command%"${command##*[! ]}"}
}

process_facts() { # RUN PID: sets $facts, one item a line
	eval "r_alive_$1="
	if process "$2"; then
		state=alive
		case $letter in Z | X | x) state=zombie ;; esac
		[ $state = zombie ] || eval "r_alive_$1=1"
		command_line "$2"
		ignored "$2"
		facts="process $2 $state $((boot + start / ticks)) $ignored${nl}command $command"
	elif kill -0 "$2" 2>/dev/null || { [ ! -d /proc/1 ] && [ -d /proc ]; }; then
		facts="process $2 unreadable - -"
	else
		facts="process $2 gone - -"
	fi
}

ignored() { # PID: sets $ignored to 1 where SIGINT is ignored
	ignored=-
	while read -r key value; do
		[ "$key" = SigIgn: ] || continue
		ignored=0
		case $value in *[2367abefABEF]) ignored=1 ;; esac
	done </proc/"$1"/status 2>/dev/null
}

# The whole process table, "PID PARENT LETTER START" a line.
survey() {
	table=
	for entry in /proc/[0-9]*; do
		if process "${entry#/proc/}"; then
			table="$table${entry#/proc/} $parent $letter $start$nl"
		fi
	done
}

is_launcher() { # PID
	command_line "$1"
	case $command in
	*jupyter* | *ipykernel* | *supervisor* | *notebook* | *code-server* | *boxtop*) return 1 ;;
	esac
	program=${command%% *}
	program=${program##*/}
	case $program in python* | libreyolo* | torchrun* | accelerate* | deepspeed*) return 0 ;; esac
	return 1
}

# Our own ancestors, which never belong to a training.
find_ours() {
	ours=" $$ "
	parent=$$
	while [ "$parent" -gt 1 ] && process "$parent"; do ours="$ours$parent "; done
}

# The other members of a training's tree: below its topmost ancestor that is a launcher.
tree() { # PID: sets $members
	top=$1
	process "$1" || return 0
	while [ "$parent" -gt 1 ] && is_launcher "$parent"; do
		case $ours in *" $parent "*) break ;; esac
		top=$parent
		process "$top" || break
	done
	members=" $top "
	grown=1
	while [ -n "$grown" ]; do
		grown=
		IFS=$nl
		set -f
		for line in $table; do
			pid=${line%% *} line=${line#* }
			case $members in *" $pid "*) continue ;; *" ${line%% *} "*) ;; *) continue ;; esac
			members="$members$pid "
			grown=1
		done
		set +f
		IFS=$blanks
	done
}

tree_facts() { # RUN PID: adds to $facts
	eval "members=\$r_tree_$1"
	if [ -n "$surveyed" ] && is_launcher "$2"; then
		tree "$2"
		eval "r_tree_$1=\$members"
	fi
	for pid in $members; do
		[ "$pid" != "$2" ] && process "$pid" || continue
		state=alive
		case $letter in Z | X | x) state=zombie ;; esac
		task_parent=$parent
		command_line "$pid"
		facts="$facts${nl}task $pid $task_parent $state $command"
	done
}

# -- console logs ------------------------------------------------------------------------------

link_of() { # LINK: sets $target
	if [ -n "$have_readlink" ]; then
		target=$(readlink "$1" 2>/dev/null)
	else
		target=$(ls -l "$1" 2>/dev/null)
		case $target in *' -> '*) target=${target#* -> } ;; *) target= ;; esac
	fi
	case $target in *' (deleted)') target= ;; esac
	[ -f "$target" ] || target=
}

find_console() { # RUN PID
	eval "path=\$r_path_$1 console=\$r_console_$1 root=\$r_root_$1 members=\$r_tree_$1"
	candidate=
	[ -z "$2" ] || is_launcher "$2" || set -- "$1" ""
	for pid in $2 $members; do
		for number in 1 2; do
			[ -z "$candidate" ] || break
			link_of /proc/"$pid"/fd/$number
			candidate=$target
		done
	done
	[ -n "$candidate" ] || candidate=$console
	[ -n "$candidate" ] || [ "$1" != $newest_run ] || candidate=$wanted_console
	[ -n "$candidate" ] || known_console "$path"
	if [ -z "$candidate" ] && [ "$1" = $newest_run ] && [ ! -d /proc/"${2:-none}" ]; then
		beside "$root"
	fi
	[ -n "$candidate" ] && [ "$candidate" != "$console" ] || return 0
	[ "$candidate" != "$path/$LOG" ] || return 0
	eval "r_console_$1=\$candidate number=\$r_console_file_$1"
	if [ -n "$number" ]; then
		eval "f_path_$number=\$candidate f_sig_$number="
	else
		add_file "$1" t "$CONSOLE" "$candidate"
		eval "r_console_file_$1=\$files"
	fi
}

known_console() { # PATH: sets $candidate
	key=0
	while [ $key -lt "$CONSOLES" ]; do
		key=$((key + 1))
		eval "run_path=\$c_run_$key"
		[ "$run_path" != "$1" ] || eval "candidate=\$c_path_$key"
	done
}

# A log one level above the root that was written after the run began, for the newest run alone.
beside() { # ROOT
	for one in "${1%/*}/train.log" "${1%/*}/nohup.out"; do
		[ -z "$candidate" ] && [ -s "$one" ] && [ "$one" -nt "$path/train_config.yaml" ] || continue
		[ ! -f "$path/train_config.yaml" ] || candidate=$one
	done
}

# -- the box -----------------------------------------------------------------------------------

item() { [ -z "$2" ] || frame v "$1" "$2"; }

file_item() { # NAME PATH...: the first file that can be read
	name=$1
	shift
	for one; do
		[ -r "$one" ] || continue
		item "$name" "$(head -n 60 "$one" 2>/dev/null)"
		return
	done
}

vitals() {
	surveyed=
	if [ $((now - last_survey)) -ge 30 ] || [ -n "$new_runs" ]; then
		last_survey=$now surveyed=1 new_runs=
		survey
	fi
	k=0
	devices=
	while [ $k -lt $runs ]; do
		k=$((k + 1))
		eval "path=\$r_path_$k gone=\$r_gone_$k newest=\$r_newest_$k alive=\$r_alive_$k"
		[ -z "$gone" ] || continue
		[ -n "$surveyed" ] || [ -n "$alive" ] || [ "$newest" -gt $((now - 900)) ] || continue
		run_vitals
	done
	box_vitals
	frame V "$now"
}

run_vitals() {
	eval "pid=\$r_pid_$k root=\$r_root_$k sent_facts=\$r_facts_$k"
	facts=
	run_pid=$pid
	if [ -n "$pid" ] && [ "$pid" -gt 1 ]; then
		process_facts $k "$pid"
		tree_facts $k "$pid"
	else
		eval "r_alive_$k="
	fi
	find_console $k "$run_pid"
	eval "console=\$r_console_$k path=\$r_path_$k"
	facts="$facts${nl}device $root${nl}console $console"
	case $devices in *"$nl$root$nl"*) ;; *) disk "$root" ;; esac
	[ "$facts" != "$sent_facts" ] || return 0
	eval "r_facts_$k=\$facts"
	frame v run "$path"
	IFS=$nl
	set -f
	for line in $facts; do
		IFS=$blanks
		item "${line%% *}" "${line#* }"
	done
	set +f
	IFS=$blanks
}

disk() { # ROOT
	devices="$devices$nl$1$nl"
	[ -n "$have_df" ] || return 0
	frame v df "$1$nl$(df -Pk "$1" 2>/dev/null)"
	frame v dfi "$1$nl$(df -Pi "$1" 2>/dev/null)"
}

box_vitals() {
	file_item loadavg /proc/loadavg
	file_item meminfo /proc/meminfo
	file_item cgroup_limit /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes
	file_item cgroup_used /sys/fs/cgroup/memory.current /sys/fs/cgroup/memory/memory.usage_in_bytes
	file_item cgroup_cpu /sys/fs/cgroup/cpu.max
	file_item oom /sys/fs/cgroup/memory.events /sys/fs/cgroup/memory/memory.oom_control
	item cpus "$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null)"
	[ ! -d /dev/shm ] || [ -z "$have_df" ] || item shm_df "$(df -Pk /dev/shm 2>/dev/null)"
	item gpus "$gpus"
	item gpu_error "$gpu_error"
}

# -- three processes ---------------------------------------------------------------------------

pings() {
	while IFS= read -r line; do
		kill -USR1 "$1" 2>/dev/null
		echo ping
	done
	echo eof
}

# Ask nvidia-smi in the background; its lines come between the ticks. Fails as it fails.
ask_gpus() {
	(
		{
			if [ -n "$have_timeout" ]; then
				# shellcheck disable=SC2086
				timeout -s KILL 5 nvidia-smi $GPU_QUERY 2>&1
			else
				# shellcheck disable=SC2086
				nvidia-smi $GPU_QUERY 2>&1
			fi
			echo "code=$?"
		} | {
			code=0
			while IFS= read -r line; do
				case $line in code=*) code=${line#code=} ;; *) echo "gpu+ $line" ;; esac
			done
			if [ "$code" = 137 ]; then echo 'gpu! timed out after 5 s'; else echo gpu=; fi
			exit "$code"
		}
	) </dev/null &
	gpu_job=$! gpu_age=0
}

# A hanging nvidia-smi and what it started: killed, never waited for.
kill_tree() { # PID
	for entry in /proc/[0-9]*; do
		if process "${entry#/proc/}" && [ "$parent" = "$1" ]; then kill_tree "${entry#/proc/}"; fi
	done
	kill -9 "$1" 2>/dev/null
}

tend_gpus() {
	gpu_wait=$((gpu_wait - 1))
	if [ -n "$gpu_job" ] && kill -0 "$gpu_job" 2>/dev/null; then
		gpu_age=$((gpu_age + 1))
		if [ $gpu_age = 7 ]; then
			kill_tree "$gpu_job"
			echo 'gpu! timed out after 5 s'
			gpu_wait=60
		fi
	elif [ -n "$gpu_job" ]; then
		wait "$gpu_job" || gpu_wait=60
		gpu_job=
	elif [ $gpu_wait -le 0 ]; then
		gpu_wait=$VITALS
		ask_gpus
	fi
}

ticks() {
	me=$(exec sh -c 'echo $PPID')
	quiet=0
	trap 'quiet=0' USR1
	pings "$me" <&3 &
	gpu_job= gpu_wait=0 gpu_age=0 have_gpus= have_timeout=
	[ -z "$machine" ] || ! has nvidia-smi || have_gpus=1
	timeout -s KILL 1 true 2>/dev/null && have_timeout=1
	while :; do
		[ -z "$have_gpus" ] || tend_gpus
		sleep 1 3<&-
		echo tick || exit 0
		quiet=$((quiet + 1))
		[ $quiet -le "$SILENCE" ] || break
	done
	echo eof
	sleep 5 3<&-
	kill_worker
}

# The worker may be stuck in writing to a line that is dead: it is our sibling, by its number.
kill_worker() {
	for entry in /proc/[0-9]*; do
		pid=${entry#/proc/}
		if [ "$pid" != "$me" ] && process "$pid" && [ "$parent" = $$ ]; then kill_tree "$pid"; fi
	done
}

hello() {
	user=$(id -un 2>/dev/null) || user=${USER:-}
	host=$(uname -n 2>/dev/null)
	roots=0
	for root; do
		case $root in "~" | "~/"*) root=$HOME${root#"~"} ;; esac
		[ "$root" = / ] || root=${root%/}
		roots=$((roots + 1))
		eval "root_$roots=\$root"
		set -- "$@" "$root"
		shift
	done
	frame H sh "$now" "$user" "$host" "$missing" "$@"
}

work() {
	zip_start=$(printf 'PK\003\004') zip_end=$(printf 'PK\005\006') pickle=$(printf '\200')
	runs=0 files=0 gpus= gpu_error= gpu_text= settled= new_runs=1 newest_run=1 last_tick=
	followed="$nl/$nl"
	start_clock
	last_survey=$((now - 100))
	find_ours
	tools
	hello "$@"
	search
	for name in $STATUS $APPENDED $REPLACED $TAILED; do look all "$name"; done
	weights all
	[ -n "$machine" ] && has nvidia-smi || settle
	last_search=$now last_vitals=$now last_beat=$now last_cold=$now
	while IFS= read -r line; do
		clock
		case $line in
		tick) tick ;;
		ping) ;;
		eof) return ;;
		'gpu+ '*) gpu_text="$gpu_text${line#gpu+ }$nl" ;;
		'gpu! '*) gpu_error=${line#gpu! } gpus= gpu_text= && settle ;;
		gpu=) gpus=$gpu_text gpu_error= gpu_text= && settle ;;
		esac
		[ -z "$settled" ] || [ -z "$once" ] || return
	done
}

# Once everything was sent, live facts included, say so.
settle() {
	[ -z "$settled" ] || return 0
	settled=1
	[ -z "$machine" ] || vitals
	look all
	frame S "$now"
}

tick() {
	[ "$now" != "$last_tick" ] || return 0
	last_tick=$now
	if [ $((now - last_search)) -ge "$SEARCH" ]; then
		last_search=$now known_runs=$runs
		search
		[ $runs = $known_runs ] || new_runs=1
	fi
	if [ $((now - last_cold)) -ge 10 ] || [ -n "$new_runs" ]; then
		last_cold=$now
		look all
		weights all
	else
		look hot
	fi
	if [ -n "$machine" ] && [ $((now - last_vitals)) -ge "$VITALS" ]; then
		last_vitals=$now
		vitals
		weights hot
	fi
	if [ $((now - last_beat)) -ge "$BEAT" ]; then
		last_beat=$now
		frame h "$now"
	fi
}

exec 3<&0
ticks | work "$@" 3<&-
