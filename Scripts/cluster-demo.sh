#!/bin/sh
# The demo of a cluster: three etcd servers, and three nodes with a dashboard each, in a tmux window.
#
#   Scripts/cluster-demo.sh            starts all of it; the last pane takes commands
#   Scripts/cluster-demo.sh COMMAND    in the last pane: `help` lists the commands
#
# The servers and the files of the nodes are in a temporary folder, which is removed at the end. Unless
# TIDEMARK_DEMO_PROGRAM names a program, the demo is built before.

set -eu
cd "$(dirname "$0")/.."

# A server or node is killed without a chance to write anything.
help='kill NAME      kill a node (a, b, c) or a server (s1, s2, s3) with SIGKILL
start NAME     start it again
pause NAME     stop its execution with SIGSTOP
resume NAME    let it go on
status         list what runs
quit           end the demo'

nodes='a b c'
servers='s1 s2 s3'

tmux_() { tmux -u -L "$TIDEMARK_DEMO_SOCKET" "$@"; }

number() { echo "${1#s}"; }

client_url() { echo "http://127.0.0.1:$((TIDEMARK_DEMO_PORT + $(number "$1")))"; }

peer_url() { echo "http://127.0.0.1:$((TIDEMARK_DEMO_PORT + 10 + $(number "$1")))"; }

process() { cat "$TIDEMARK_DEMO_FOLDER/$1.pid" 2>/dev/null || true; }

state() { awk '/^State/ { print $2 }' "/proc/$(process "$1")/status" 2>/dev/null || true; }

# A process that has ended, and whose parent has not noticed yet, is a zombie: its state is Z.
runs() { case "$(state "$1")" in '' | X | Z) false ;; esac; }

start_server() {
  members=$(for server in $servers; do printf '%s=%s,' "$server" "$(peer_url "$server")"; done)
  etcd --name "$1" --data-dir "$TIDEMARK_DEMO_FOLDER/$1" \
    --listen-client-urls "$(client_url "$1")" --advertise-client-urls "$(client_url "$1")" \
    --listen-peer-urls "$(peer_url "$1")" --initial-advertise-peer-urls "$(peer_url "$1")" \
    --initial-cluster "${members%,}" --heartbeat-interval 100 --election-timeout 1000 \
    --log-level error >/dev/null 2>"$TIDEMARK_DEMO_FOLDER/$1.log" </dev/null &
  echo $! >"$TIDEMARK_DEMO_FOLDER/$1.pid"
}

# The pane of a node executes this: the process of the shell becomes the node.
run_node() {
  echo $$ >"$TIDEMARK_DEMO_FOLDER/$1.pid"
  urls=$(for server in $servers; do printf '%s,' "$(client_url "$server")"; done)
  exec "$TIDEMARK_DEMO_PROGRAM" node "$1" --folder "$TIDEMARK_DEMO_FOLDER/nodes" --etcd "${urls%,}" --writers 2
}

pane() { tmux_ list-panes -t demo -F '#{pane_id} #{@node}' | awk -v name="$1" '$2 == name { print $1 }'; }

command_of() { echo "exec $PWD/Scripts/cluster-demo.sh run-node $1"; }

start() {
  if runs "$1"; then
    echo "$1 runs already"
    return
  fi
  case " $servers " in
    *" $1 "*) start_server "$1" ;;
    *) tmux_ respawn-pane -k -t "$(pane "$1")" "$(command_of "$1")" ;;
  esac
}

known() {
  case " $nodes $servers " in
    *" $1 "*) ;;
    *)
      echo "$1 is neither a node ($nodes) nor a server ($servers)"
      return 1
      ;;
  esac
}

signal() {
  if runs "$2"; then kill "-$1" "$(process "$2")"; else echo "$2 does not run"; fi
}

# Waits until the process has ended: until then, its ports and files are in use.
kill_() {
  signal KILL "$1"
  while runs "$1"; do sleep 0.05; done
}

status() {
  for name in $servers $nodes; do
    if ! runs "$name"; then
      echo "$name  stopped"
    elif [ "$(state "$name")" = T ]; then
      echo "$name  paused"
    else
      echo "$name  runs, process $(process "$name")"
    fi
  done
}

end() {
  for name in $nodes $servers; do
    if runs "$name"; then kill_ "$name"; fi
  done
  rm -rf "$TIDEMARK_DEMO_FOLDER"
  tmux_ kill-server
}

obey() {
  case "$1" in
    kill) known "$2" && kill_ "$2" ;;
    start) known "$2" && start "$2" ;;
    pause) known "$2" && signal STOP "$2" ;;
    resume) known "$2" && signal CONT "$2" ;;
    status) status ;;
    quit) end ;;
    *) echo "$help" ;;
  esac
}

# The pane that takes commands.
control() {
  echo "$help"
  while printf '> ' && read -r command name; do obey "${command:-help}" "${name:-}" || true; done
  end
}

begin() {
  Scripts/etcd.sh
  command -v etcd >/dev/null || { echo 'cluster-demo: no etcd server is installed' >&2; exit 1; }
  command -v tmux >/dev/null || {
    echo 'cluster-demo: tmux is required: apt-get install tmux' >&2
    exit 1
  }
  if [ -z "${TIDEMARK_DEMO_PROGRAM:-}" ]; then
    swift build --product Demo >&2
    TIDEMARK_DEMO_PROGRAM=$PWD/.build/debug/Demo
  fi
  TIDEMARK_DEMO_FOLDER=$(mktemp -d)
  TIDEMARK_DEMO_SOCKET=tidemark-demo-$$
  # Below the ports that the system gives to outgoing connections.
  TIDEMARK_DEMO_PORT=$((10000 + $$ % 200 * 100))
  export TIDEMARK_DEMO_FOLDER TIDEMARK_DEMO_SOCKET TIDEMARK_DEMO_PORT TIDEMARK_DEMO_PROGRAM
  for server in $servers; do start_server "$server"; done
  tmux_ -f /dev/null new-session -d -s demo -x "${COLUMNS:-200}" -y "${LINES:-60}" "$(command_of a)"
  tmux_ set-option -g remain-on-exit on
  tmux_ set-option -g status off
  tmux_ split-window -t demo "$(command_of b)"
  tmux_ split-window -t demo "$(command_of c)"
  tmux_ split-window -t demo "exec $PWD/Scripts/cluster-demo.sh control"
  tmux_ select-layout -t demo tiled
  tmux_ list-panes -t demo -F '#{pane_id}' | {
    for name in $nodes control; do
      read -r id
      tmux_ set-option -p -t "$id" @node "$name"
    done
  }
}

case "${1:-}" in
  '')
    begin
    exec tmux -u -L "$TIDEMARK_DEMO_SOCKET" attach-session -t demo
    ;;
  run-node) run_node "$2" ;;
  control) control ;;
  *) obey "$1" "${2:-}" ;;
esac
