# Asking nvidia-smi, which may hang for ever.

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
