# The process of a run, and its tree.

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

# The file that it runs stays python's when a training has given itself another name.
is_training() { # PID
	is_launcher "$1" && return 0
	[ -n "$have_readlink" ] || return 1
	program=$(readlink /proc/"$1"/exe 2>/dev/null)
	case ${program##*/} in python* | libreyolo*) return 0 ;; esac
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
	if [ -n "$surveyed" ] && is_training "$2"; then
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
