#!/bin/sh
# Talks to a served secrets service with curl: $1 is its URL, $2 a token. Prints one line for each answer.
set -eu
header="X-Secrets-Token: $2"
ask() {
  method=$1 path=$2
  shift 2
  printf '%s %s ' "$method" "$path"
  curl --silent --show-error --max-time 10 --request "$method" --header "$header" --write-out ' %{http_code}\n' "$@" "$BASE$path" |
    sed 's/"request_id":"[^"]*"/"request_id":""/'
}
BASE=$1
ask POST /v1/kv/curl/a --json '{"value":"1"}'
ask LIST /v1/kv/curl
head -c 2000000 /dev/zero | tr '\0' x | sed 's/.*/{"value":"&"}/' >"${TMPDIR:-/tmp}/hindcast-large.$$"
ask POST /v1/kv/curl/large --header 'Content-Type: application/json' --data-binary "@${TMPDIR:-/tmp}/hindcast-large.$$"
rm -f "${TMPDIR:-/tmp}/hindcast-large.$$"
ask GET /v1/kv/curl/a
ask DELETE /v1/kv/curl/a
