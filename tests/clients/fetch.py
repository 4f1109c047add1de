"""Asks a server for some pages with http.client, and prints what it understood as JSON lines.

Usage: fetch.py HOST PORT PATH...

All requests use one HTTPConnection, which opens a new socket whenever the
server has closed the one before. "socket" counts them.
"""

import http.client
import json
import sys

host, port, *paths = sys.argv[1:]
connection = http.client.HTTPConnection(host, int(port), timeout=20)
sockets = []
for path in paths:
    for method in ("GET", "HEAD"):
        connection.request(method, path)
        if connection.sock is not None and connection.sock not in sockets:
            # Kept, so that no later socket can be mistaken for this one.
            sockets.append(connection.sock)
        response = connection.getresponse()
        body = response.read()
        answer = {
            "method": method,
            "path": path,
            "version": response.version,
            "status": response.status,
            "reason": response.reason,
            "headers": {name.lower(): value for name, value in response.getheaders()},
            "body": body.decode("utf-8"),
            "socket": len(sockets),
        }
        print(json.dumps(answer))
