"""Asks a proxy with Python's http.client: proxy_client.py PROXY_PORT ORIGIN_PORT FOLDER."""

import http.client
import os
import sys

proxy, origin, folder = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
authority = "127.0.0.1:%d" % origin


def content(name):
    with open(os.path.join(folder, name), "rb") as file:
        return file.read()


# Through the cache: one connection for all, every file twice.
connection = http.client.HTTPConnection("127.0.0.1", proxy, timeout=60)
for _ in range(2):
    for name in sorted(os.listdir(folder)):
        connection.request("GET", "http://%s/%s" % (authority, name))
        response = connection.getresponse()
        body = response.read()
        assert response.status == 200, (name, response.status)
        assert body == content(name), name
        assert "mely-" in response.headers["Via"], response.headers
        connection.request(
            "GET",
            "http://%s/%s" % (authority, name),
            headers={"If-None-Match": response.headers["ETag"]},
        )
        response = connection.getresponse()
        assert (response.status, response.read()) == (304, b""), name
        connection.request("HEAD", "http://%s/%s" % (authority, name))
        response = connection.getresponse()
        assert int(response.headers["Content-Length"]) == len(content(name)), name
        assert response.read() == b""
connection.close()

# Through a tunnel, which it has no part in.
tunnel = http.client.HTTPConnection("127.0.0.1", proxy, timeout=60)
tunnel.set_tunnel("127.0.0.1", origin)
for name in sorted(os.listdir(folder)):
    tunnel.request("GET", "/" + name)
    response = tunnel.getresponse()
    assert response.read() == content(name), name
    assert response.headers["Via"] is None
tunnel.close()

# What it does not do.
refused = http.client.HTTPConnection("127.0.0.1", proxy, timeout=60)
refused.request("POST", "http://%s/f1" % authority, body=b"a=b")
response = refused.getresponse()
assert response.status == 501, response.status
refused.close()
print("fine")
