#!/usr/bin/env bash
# Builds the packages in Examples, and runs each of them once.
#
#   Scripts/examples.sh [build folder]
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
scratch=$root/${1:-.build-examples}
mkdir -p "$scratch"

for example in Notes JobServer Shop; do
  swift build --package-path "Examples/$example" --scratch-path "$scratch" -Xswiftc -warnings-as-errors \
    >"$scratch/$example.log" 2>&1 || {
    echo "examples: $example does not build"
    grep -E 'error:' "$scratch/$example.log" || tail -n 20 "$scratch/$example.log"
    exit 1
  }
done

folder=$(mktemp -d)
server=
followers=()
# Stop the programs before their folder is removed, however the script ends.
cleanup() {
  for process in $server "${followers[@]}"; do kill -KILL "$process" 2>/dev/null || true; done
  rm -rf "$folder"
}
trap cleanup EXIT

fail() {
  echo "examples: $1"
  exit 1
}

# Notes: finds a note that was added.
export NOTES_FILE=$folder/notes.sqlite
"$scratch/debug/Notes" add Buy milk >/dev/null
"$scratch/debug/Notes" list | grep -q 'Buy milk' || fail "Notes does not list the note that was added"

# JobServer: runs a job added by another process, and shuts down on request.
jobs=$folder/jobs.sqlite
"$scratch/debug/JobServer" run "$jobs" >"$folder/server.log" 2>&1 &
server=$!
until grep -q 'pending 0' "$folder/server.log"; do
  kill -0 "$server" 2>/dev/null || fail "JobServer ended: $(cat "$folder/server.log")"
  sleep 0.1
done
"$scratch/debug/JobServer" add "$jobs" 1 >/dev/null
until grep -q 'finished 1' "$folder/server.log"; do
  kill -0 "$server" 2>/dev/null || fail "JobServer ended: $(cat "$folder/server.log")"
  sleep 0.1
done
kill -TERM "$server"
wait "$server" || fail "JobServer failed: $(cat "$folder/server.log")"
server=
grep -q 'stopped' "$folder/server.log" || fail "JobServer did not shut down: $(cat "$folder/server.log")"

# Shop: programs that follow the changes of a database.
shop=$folder/shop.sqlite
write() { "$scratch/debug/ShopWriter" "$shop" "$1"; }

# follow LOG PROGRAM ARGUMENT…: starts a program that runs until it is killed
follow() {
  local log=$folder/$1
  shift
  "$scratch/debug/$1" "${@:2}" >>"$log" 2>&1 &
  followers+=($!)
  disown
}

# await LOG TEXT: waits until a program has written a line
await() {
  local deadline=$((SECONDS + 60))
  until grep -qF "$2" "$folder/$1"; do
    [ "$SECONDS" -lt "$deadline" ] || fail "$1 has no line '$2': $(cat "$folder/$1")"
    sleep 0.05
  done
}

write "INSERT INTO product VALUES (1, 'Green tea', 4.5), (2, 'Coffee', 7)"
follow audit AuditLog "$shop"
follow index SearchIndex "$shop" "$folder/index.sqlite"
follow replica Replica "$shop" "$folder/copy.sqlite"
await audit following
await index 'indexed 2 products'
await replica copied

mkfifo "$folder/questions"
"$scratch/debug/PriceCache" "$shop" <"$folder/questions" >"$folder/cache" 2>&1 &
followers+=($!)
disown
exec 3>"$folder/questions"
await cache ready
printf '1\n' >&3
await cache 'Green tea 4.5 from the database'
printf '1\n' >&3
await cache 'Green tea 4.5 from the cache'
printf '1 5\n' >&3
await cache 'changed 1'
printf '1\n' >&3
await cache 'Green tea 5.0 from the database'
write "INSERT INTO product VALUES (3, 'Black tea', 3)"
await cache 'changed all'
exec 3>&-

await audit 'UPDATE product [1]: price 4.5 → 5.0'
await audit 'INSERT product [3]: id 3, name "Black tea", price 3.0'
await index 'indexed Black tea'
[ "$("$scratch/debug/SearchIndex" "$shop" "$folder/index.sqlite" tea | wc -l)" = 2 ] || fail 'SearchIndex finds no tea'

# Outbox: is killed again and again, and delivers each purchase once.
follow outbox Outbox "$shop" "$folder/receiver.sqlite"
for purchase in $(seq 1 20); do
  write 'INSERT INTO purchase (productId, count) VALUES (1, 1), (2, 2), (3, 3), (1, 4), (2, 5)'
  if [ $((purchase % 4)) = 0 ]; then
    kill -KILL "${followers[-1]}"
    follow outbox Outbox "$shop" "$folder/receiver.sqlite"
  fi
done
await outbox 'delivered 100'
delivered=$(python3 - "$folder/receiver.sqlite" <<'END'
import sqlite3, sys
print([row[0] for row in sqlite3.connect(sys.argv[1]).execute('SELECT purchase FROM parcel')] == list(range(1, 101)))
END
)
[ "$delivered" = True ] || fail 'Outbox has not delivered each purchase once, in order'

write 'DELETE FROM purchase WHERE count > 2'
write "UPDATE product SET name = 'Mocha' WHERE id = 2"
await index 'indexed Mocha'
await audit 'UPDATE product [2]: name "Coffee" → "Mocha"'
equal=$(python3 - "$shop" "$folder/copy.sqlite" <<'END'
import sqlite3, sys, time
def content(path):
    db = sqlite3.connect('file:' + path + '?mode=ro', uri=True)
    return [db.execute('SELECT * FROM ' + t + ' ORDER BY id').fetchall() for t in ('product', 'purchase')]
for _ in range(200):
    if content(sys.argv[1]) == content(sys.argv[2]): break
    time.sleep(0.05)
print(content(sys.argv[1]) == content(sys.argv[2]))
END
)
[ "$equal" = True ] || fail "the replica differs: $(cat "$folder/replica")"

# LineEditor: undoes and redoes, also after a restart.
edit() { "$scratch/debug/LineEditor" "$folder/text.sqlite" | tr '\n\t' '|:'; }
text=$(printf 'a one\na two\na three\ns o 0\nd 1 2\np\nq\n' | edit)
[ "$text" = '1:three|' ] || fail "LineEditor: $text"
text=$(printf 'u\nu\nr\np\nq\n' | edit)
[ "$text" = 'undone: delete|undone: replace|redone: replace|1:0ne|2:tw0|3:three|' ] || fail "LineEditor: $text"

echo 'examples: built and used'
