#!/bin/sh
# Makes clients of the admin path from its OpenAPI document, in TypeScript and, where python3 is found, in Python, and works a served world
# with each. $1 is the command line of the library: `node dist/src/node/cli.js` unless told.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
hindcast=${1:-node $here/../../../dist/src/node/cli.js}
work=$(mktemp -d)
$hindcast serve --worlds --port 0 --vocabulary hashicorp --exit-with-parent --ready-file "$work/ready.json" >"$work/told.txt" 2>&1 &
server=$!
trap 'kill $server 2>/dev/null || true; rm -rf "$work"' EXIT
for _ in $(seq 300); do
  [ -f "$work/ready.json" ] && break
  kill -0 $server 2>/dev/null || { cat "$work/told.txt" >&2; exit 1; }
  sleep 0.1
done
told() { node -e 'console.log(JSON.parse(fs.readFileSync(process.argv[1])).admin[process.argv[2]])' "$work/ready.json" "$1"; }
url=$(told url) secret=$(told secret)
node -e '
  const [url, secret, file] = process.argv.slice(1);
  fetch(`${url}/openapi/admin.json`, { headers: { Authorization: `Bearer ${secret}` } })
    .then((response) => response.text())
    .then((text) => fs.writeFileSync(file, text));
' "$url" "$secret" "$work/admin.json"

cp "$here/package.json" "$here/package-lock.json" "$here/client.ts" "$work"
(
  cd "$work"
  npm ci --silent --no-audit --no-fund
  npx openapi-typescript admin.json --output admin.d.ts >/dev/null
  npx tsc --strict --exactOptionalPropertyTypes --target es2022 --module nodenext --lib es2022,dom,dom.iterable --skipLibCheck client.ts
  node client.js "$url" "$secret"
)

if ! command -v python3 >/dev/null; then
  echo "python: not tried, python3 is not here"
  exit 0
fi
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check --requirement "$here/requirements.txt"
(
  cd "$work"
  # It knows no lines of JSON.
  echo 'content_type_overrides: { application/x-ndjson: text/plain }' >config.yml
  PATH="$work/venv/bin:$PATH" venv/bin/openapi-python-client generate --path admin.json --config config.yml --fail-on-warning \
    --meta none --output-path hindcast_client >/dev/null
  PYTHONPATH="$work" venv/bin/python "$here/client.py" "$url" "$secret"
)
