"""Talks to a served secrets service with what Python brings: argv[1] is its URL, argv[2] a token."""

import http.client
import json
import sys
from urllib.parse import urlsplit

url, token = urlsplit(sys.argv[1]), sys.argv[2]
connection = http.client.HTTPConnection(url.hostname, url.port, timeout=10)


def ask(method, path, body=None):
    headers = {"X-Secrets-Token": token, "Content-Type": "application/json"}
    # An iterable is sent in chunks.
    chunks = None if body is None else iter([part.encode() for part in body])
    connection.request(method, url.path + path, body=chunks, headers=headers, encode_chunked=body is not None)
    answer = connection.getresponse()
    text = answer.read()
    print(method, path, answer.status, json.loads(text)["data"] if text else None)


ask("POST", "/v1/kv/python/a", ['{"val', 'ue":"LIST / HTTP/1.1"}'])
ask("LIST", "/v1/kv/python")
ask("GET", "/v1/kv/python/a")
ask("DELETE", "/v1/kv/python/a")
