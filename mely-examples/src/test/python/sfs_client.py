#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A client of the secure file server, written from mely-examples/sfs.md and the RFCs, for tests only.

    sfs_client.py vectors
    sfs_client.py check sfs://KEY@HOST:PORT/ KEY_FILE

The cryptography is plain Python, slow, and not safe against who measures its time.
"""
import base64
import hashlib
import hmac
import os
import re
import socket
import struct
import sys

# ---- RFC 7748: X25519

P = 2 ** 255 - 19


def x25519(scalar, point):
    k = int.from_bytes(scalar, "little")
    k = k & ~7 & ~(1 << 255) | (1 << 254)
    x1 = (int.from_bytes(point, "little") & ((1 << 255) - 1)) % P
    x2, z2, x3, z3, swap = 1, 0, x1, 1, 0
    for t in reversed(range(255)):
        bit = k >> t & 1
        if swap ^ bit:
            x2, x3, z2, z3 = x3, x2, z3, z2
        swap = bit
        a, b, c, d = x2 + z2, x2 - z2, x3 + z3, x3 - z3
        aa, bb, da, cb = a * a % P, b * b % P, d * a % P, c * b % P
        e = aa - bb
        x3, z3 = (da + cb) ** 2 % P, x1 * (da - cb) ** 2 % P
        x2, z2 = aa * bb % P, e * (aa + 121665 * e) % P
    if swap:
        x2, z2 = x3, z3
    return (x2 * pow(z2, P - 2, P) % P).to_bytes(32, "little")


# ---- RFC 8032: Ed25519

D = -121665 * pow(121666, P - 2, P) % P
ROOT = pow(2, (P - 1) // 4, P)
Q = 2 ** 252 + 27742317777372353535851937790883648493


def recover_x(y, sign):
    xx = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(xx, (P + 3) // 8, P)
    if (x * x - xx) % P:
        x = x * ROOT % P
    if (x * x - xx) % P:
        raise ValueError("no point of the curve")
    return P - x if x & 1 != sign else x


def add(a, b):
    e = (a[1] - a[0]) * (b[1] - b[0]) % P
    f = (a[1] + a[0]) * (b[1] + b[0]) % P
    g = 2 * a[3] * b[3] * D % P
    h = 2 * a[2] * b[2] % P
    i, j, k, l = f - e, h - g, h + g, f + e
    return i * j % P, k * l % P, j * k % P, i * l % P


def times(n, point):
    result = (0, 1, 1, 0)
    while n:
        if n & 1:
            result = add(result, point)
        point = add(point, point)
        n >>= 1
    return result


BASE_Y = 4 * pow(5, P - 2, P) % P
BASE_X = recover_x(BASE_Y, 0)
BASE = (BASE_X, BASE_Y, 1, BASE_X * BASE_Y % P)


def pack(point):
    inverse = pow(point[2], P - 2, P)
    x, y = point[0] * inverse % P, point[1] * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def unpack(data):
    y = int.from_bytes(data, "little")
    x = recover_x(y & ((1 << 255) - 1), y >> 255)
    y &= (1 << 255) - 1
    return x, y, 1, x * y % P


def sha512(*parts):
    return int.from_bytes(hashlib.sha512(b"".join(parts)).digest(), "little") % Q


def expand_secret(secret):
    digest = hashlib.sha512(secret).digest()
    a = int.from_bytes(digest[:32], "little")
    return a & ~7 & ~(1 << 255) | (1 << 254), digest[32:]


def ed25519_public(secret):
    return pack(times(expand_secret(secret)[0], BASE))


def ed25519_sign(secret, text):
    a, prefix = expand_secret(secret)
    public = pack(times(a, BASE))
    r = sha512(prefix, text)
    big_r = pack(times(r, BASE))
    s = (r + sha512(big_r, public, text) * a) % Q
    return big_r + s.to_bytes(32, "little")


def ed25519_verify(public, text, signature):
    s = int.from_bytes(signature[32:], "little")
    if len(signature) != 64 or s >= Q:
        return False
    h = sha512(signature[:32], public, text)
    left, right = times(s, BASE), add(unpack(signature[:32]), times(h, unpack(public)))
    return ((left[0] * right[2] - right[0] * left[2]) % P == 0
            and (left[1] * right[2] - right[1] * left[2]) % P == 0)


# ---- RFC 8439: ChaCha20-Poly1305

MASK = 0xffffffff


def chacha20_block(key, counter, nonce):
    start = list(struct.unpack("<16I", b"expand 32-byte k" + key + struct.pack("<I", counter) + nonce))
    s = start[:]
    for _ in range(10):
        for a, b, c, d in ((0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15),
                           (0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14)):
            w, x, y, z = s[a], s[b], s[c], s[d]
            w = w + x & MASK
            z ^= w
            z = (z << 16 | z >> 16) & MASK
            y = y + z & MASK
            x ^= y
            x = (x << 12 | x >> 20) & MASK
            w = w + x & MASK
            z ^= w
            z = (z << 8 | z >> 24) & MASK
            y = y + z & MASK
            x ^= y
            x = (x << 7 | x >> 25) & MASK
            s[a], s[b], s[c], s[d] = w, x, y, z
    return struct.pack("<16I", *(u + v & MASK for u, v in zip(s, start)))


def chacha20(key, counter, nonce, text):
    out = bytearray()
    for at in range(0, len(text), 64):
        block = chacha20_block(key, counter + at // 64, nonce)
        out += bytes(u ^ v for u, v in zip(text[at:at + 64], block))
    return bytes(out)


def poly1305(key, text):
    r = int.from_bytes(key[:16], "little") & 0x0ffffffc0ffffffc0ffffffc0fffffff
    total = 0
    for at in range(0, len(text), 16):
        total = (total + int.from_bytes(text[at:at + 16] + b"\1", "little")) * r % (2 ** 130 - 5)
    return (total + int.from_bytes(key[16:], "little") & (1 << 128) - 1).to_bytes(16, "little")


def tag(key, nonce, aad, sealed):
    def padded(data):
        return data + bytes(-len(data) % 16)
    text = padded(aad) + padded(sealed) + struct.pack("<QQ", len(aad), len(sealed))
    return poly1305(chacha20_block(key, 0, nonce)[:32], text)


def aead_seal(key, nonce, aad, text):
    sealed = chacha20(key, 1, nonce, text)
    return sealed + tag(key, nonce, aad, sealed)


def aead_open(key, nonce, aad, body):
    sealed, its_tag = body[:-16], body[-16:]
    if not hmac.compare_digest(tag(key, nonce, aad, sealed), its_tag):
        raise ConnectionError("a record does not open")
    return chacha20(key, 1, nonce, sealed)


# ---- RFC 5869: HKDF


def extract(salt, secret):
    return hmac.new(salt or bytes(32), secret, hashlib.sha256).digest()


def expand(key, info, length):
    out, block = b"", b""
    while len(out) < length:
        block = hmac.new(key, block + info + bytes([len(out) // 32 + 1]), hashlib.sha256).digest()
        out += block
    return out[:length]


def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


# ---- mely-examples/sfs.md: records

DATA, REKEY, CLOSE, HANDSHAKE = range(4)


class Direction:
    """One direction's secret, key, nonce and count."""

    def __init__(self, secret):
        self.use(secret)

    def use(self, secret):
        self.secret, self.number = secret, 0
        self.key, self.iv = expand(secret, b"sfs1 key", 32), expand(secret, b"sfs1 iv", 12)

    def next_key(self):
        self.use(expand(self.secret, b"sfs1 next", 32))

    def nonce(self):
        number = bytes(4) + struct.pack(">Q", self.number)
        self.number += 1
        return bytes(a ^ b for a, b in zip(self.iv, number))

    def seal(self, kind, content):
        header = struct.pack(">I", 1 + len(content) + 16)
        return header + aead_seal(self.key, self.nonce(), header, bytes([kind]) + content)

    def open(self, body):
        text = aead_open(self.key, self.nonce(), struct.pack(">I", len(body)), body)
        return text[0], text[1:]


# ---- mely-examples/sfs.md: the client


class Refused(Exception):
    def __init__(self, status, reason):
        super().__init__("%d %s" % (status, reason))
        self.status = status


def text(value):
    data = value.encode()
    return struct.pack(">H", len(data)) + data


class Client:
    PING, LIST, STAT, OPEN, READ, WRITE, CLOSE, RENAME, REMOVE, MORE = range(1, 11)

    def __init__(self, path, key_file, rekey_every=1000):
        match = re.fullmatch(r"sfs://([\w-]{43})@([^:/]+)(?::(\d+))?/?.*", path)
        server = base64.urlsafe_b64decode(match[1] + "=")
        with open(key_file) as file:
            pem = file.read()
        der = base64.b64decode(pem.split("-----")[2])
        secret = der[-32:]
        self.broken, self.sent, self.number, self.rekey_every = [], 0, 0, rekey_every
        self.socket = socket.create_connection((match[2], int(match[3] or 4430)), 20)
        self.handshake(server, secret)
        number, code, fields = self.message()
        if (number, code) != (0, 1):
            raise PermissionError(fields)
        self.may_write, self.lease_millis, self.most = struct.unpack(">BII", fields)

    def handshake(self, ks, secret):
        ephemeral = os.urandom(32)
        hello_c = b"SFS" + bytes([1, 2]) + x25519(ephemeral, (9).to_bytes(32, "little"))
        self.send_frame(hello_c)
        hello_s = self.frame()
        if hello_s[:4] != b"SFS\2" or len(hello_s) != 36:
            raise ConnectionError("no SFS server")
        z = x25519(ephemeral, hello_s[4:])
        if z == bytes(32):
            raise ConnectionError("no secret")
        master = extract(b"sfs1", z)
        t1 = sha256(b"sfs1", ks, hello_c, hello_s)
        hc = Direction(expand(master, b"sfs1 handshake client" + t1, 32))
        hs = Direction(expand(master, b"sfs1 handshake server" + t1, 32))
        kind, signature = hs.open(self.frame())
        if kind != HANDSHAKE or not ed25519_verify(ks, b"sfs1 server" + t1, signature):
            raise ConnectionError("another server")
        t2 = sha256(t1, signature)
        proof = ed25519_public(secret)
        proof += ed25519_sign(secret, b"sfs1 client" + t2)
        self.socket.sendall(hc.seal(HANDSHAKE, proof))
        t3 = sha256(t2, proof)
        self.out = Direction(expand(master, b"sfs1 session client" + t3, 32))
        self.in_ = Direction(expand(master, b"sfs1 session server" + t3, 32))

    # Frames and records

    def send_frame(self, body):
        self.socket.sendall(struct.pack(">I", len(body)) + body)

    def exactly(self, length):
        data = b""
        while len(data) < length:
            more = self.socket.recv(length - len(data))
            if not more:
                raise ConnectionError("cut off")
            data += more
        return data

    def frame(self):
        return self.exactly(struct.unpack(">I", self.exactly(4))[0])

    def send(self, content):
        self.sent += 1
        if self.sent % self.rekey_every == 0:
            self.socket.sendall(self.out.seal(REKEY, b""))
            self.out.next_key()
        self.socket.sendall(self.out.seal(DATA, content))

    def message(self):
        while True:
            kind, content = self.in_.open(self.frame())
            if kind == REKEY:
                self.in_.next_key()
            elif kind == DATA:
                number, code = struct.unpack(">IB", content[:5])
                return number, code, content[5:]
            else:
                raise ConnectionError("the end")

    # Requests

    def ask(self, op, fields=b""):
        self.number += 1
        self.send(struct.pack(">IB", self.number, op) + fields)
        return self.number

    def answer(self, asked):
        while True:
            number, code, fields = self.message()
            if number == 0:
                if code == 3:
                    self.broken.append(struct.unpack(">Q", fields)[0])
                continue
            assert number == asked, (number, asked)
            if code:
                raise Refused(code, fields[2:].decode())
            return fields

    def request(self, op, fields=b""):
        return self.answer(self.ask(op, fields))

    def list(self, path):
        names, op, fields = {}, self.LIST, text(path)
        while True:
            page = self.request(op, fields)
            listing, count = struct.unpack(">IH", page[12:18])
            at = 18
            for _ in range(count):
                length, = struct.unpack(">H", page[at:at + 2])
                name = page[at + 2:at + 2 + length].decode()
                at += 2 + length
                assert name not in names, name
                names[name] = struct.unpack(">BQqQ", page[at:at + 25])
                at += 25
            assert at == len(page)
            if not listing:
                break
            op, fields = self.MORE, struct.pack(">I", listing)
        return names

    def stat(self, path):
        """Number and time of the lease; type, size, time, version."""
        return struct.unpack(">QIBQqQ", self.request(self.STAT, text(path)))

    def open(self, path, flags):
        fields = struct.unpack(">QIIBQqQ", self.request(self.OPEN, text(path) + bytes([flags])))
        return fields[2]

    def read(self, handle, size):
        asked = [self.ask(self.READ, struct.pack(">IQI", handle, at, min(self.most, size - at)))
                 for at in range(0, size, self.most)]
        return b"".join(self.answer(number) for number in asked)

    def write(self, handle, data):
        for at in range(0, len(data), self.most):
            self.request(self.WRITE, struct.pack(">IQ", handle, at) + data[at:at + self.most])

    def close_file(self, handle, flags=0):
        self.request(self.CLOSE, struct.pack(">IB", handle, flags))

    def close(self):
        """Says goodbye, and waits for the server to do so."""
        self.socket.sendall(self.out.seal(CLOSE, b""))
        while True:
            kind, _ = self.in_.open(self.frame())
            if kind == CLOSE:
                break
        assert self.socket.recv(1) == b"", "something after the last record"
        self.socket.close()


# ---- What the tests run


def refused(status, call, *arguments):
    try:
        call(*arguments)
    except Refused as e:
        assert e.status == status, e
        return
    raise AssertionError("not refused")


def check(path, key_file):
    client = Client(path, key_file, rekey_every=3)
    other = Client(path, key_file)
    assert client.may_write == 1 and client.most == 65536
    client.request(client.PING)
    data = hashlib.shake_128(b"sfs").digest(150_000)
    handle = client.open("from python", 2)
    client.write(handle, data)
    client.close_file(handle, 1)
    lease, millis, kind, size, _, version = client.stat("from python")
    assert lease and millis == client.lease_millis and (kind, size) == (1, len(data))

    handle = client.open("from python", 1)
    assert client.read(handle, size) == data
    assert client.read(handle, size + 70_000) == data, "short at the end"
    client.close_file(handle)
    refused(1, client.close_file, handle)

    handle = other.open("from python", 2)
    other.write(handle, b"other")
    other.close_file(handle)
    client.request(client.PING)
    assert client.broken == [lease], client.broken
    assert client.stat("from python")[5] != version
    assert other.broken == []

    client.request(client.RENAME, text("from python") + text("renamed"))
    assert "renamed" in client.list("") and "from python" not in client.list("")
    refused(2, client.stat, "from python")
    refused(1, client.stat, "../x")
    refused(1, client.request, 77)
    client.request(client.REMOVE, text("renamed"))
    handle = client.open("kept", 2)
    client.write(handle, data)
    client.close_file(handle)
    assert len(client.list("many")) == 700
    client.close()
    other.close()

    wrong = "sfs://" + base64.urlsafe_b64encode(ed25519_public(bytes(32))).decode()[:43]
    try:
        Client(wrong + path[path.index("@"):], key_file)
        raise AssertionError("another server was taken")
    except ConnectionError:
        pass
    print("fine")


def vectors():
    h = bytes.fromhex
    assert x25519(h("a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4"),
                  h("e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c")) \
        == h("c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552")
    assert x25519(h("4b66e9d4d1b4673c5ad22691957d6af5c11b6421e0ea01d42ca4169e7918ba0d"),
                  h("e5210f12786811d3f4b7959d0538ae2c31dbe7106fc03c3efc4cd549c715a493")) \
        == h("95cbde9476e8907d7aade45cb4b873f88b595a68799fa152e6f8f7647aac7957")
    secret = h("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
    public = h("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
    signature = h("e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bac"
                  "c61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b")
    assert ed25519_public(secret) == public
    assert ed25519_sign(secret, b"") == signature
    assert ed25519_verify(public, b"", signature)
    assert not ed25519_verify(public, b"x", signature)
    sealed = aead_seal(
        bytes(range(0x80, 0xa0)), h("070000004041424344454647"), h("50515253c0c1c2c3c4c5c6c7"),
        b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the "
        b"future, sunscreen would be it.")
    assert sealed[:16] == h("d31a8d34648e60db7b86afbc53ef7ec2")
    assert sealed[-16:] == h("1ae10b594f09e26a7e902ecbd0600691")
    assert aead_open(bytes(range(0x80, 0xa0)), h("070000004041424344454647"),
                     h("50515253c0c1c2c3c4c5c6c7"), sealed).endswith(b"would be it.")
    key = extract(h("000102030405060708090a0b0c"), b"\x0b" * 22)
    assert key == h("077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5")
    assert expand(key, h("f0f1f2f3f4f5f6f7f8f9"), 42) == h(
        "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865")
    print("fine")


if __name__ == "__main__":
    vectors() if sys.argv[1] == "vectors" else check(sys.argv[2], sys.argv[3])
