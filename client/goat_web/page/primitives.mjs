// What goat_net.primitives.page asks of the page: @noble/curves and @noble/hashes. Everything comes and goes as
// hexadecimal text, many points in one call. Scalars that are secret take noble's own even way; those of an audit,
// which everybody has, the quicker one. Points are brought back to x-coordinates with one inversion for all of them.
import { ed25519 } from "@noble/curves/ed25519.js";
import { p256 } from "@noble/curves/nist.js";
import { normalizeZ } from "@noble/curves/abstract/curve.js";
import { bytesToHex, hexToBytes } from "@noble/curves/utils.js";
import { scrypt } from "@noble/hashes/scrypt.js";

const Point = p256.Point;
const LIFTED = 1024; // points kept: a deal sends 372 elements and has 36 card points
const lifted = new Map();

function lift(x) {
  let point = lifted.get(x);
  if (point === undefined) {
    point = Point.fromHex("02" + x); // throws where no point has this x
    if (lifted.size >= LIFTED) lifted.delete(lifted.keys().next().value);
    lifted.set(x, point);
  }
  return point;
}

const cut = text => text.match(/.{64}/g) ?? [];
const hex = number => number.toString(16).padStart(64, "0");
const times = (point, scalar, secret) => (secret ? point.multiply(scalar) : point.multiplyUnsafe(scalar));
const joined = points => normalizeZ(Point, points).map(point => hex(point.toAffine().x)).join("");

export const primitives = {
  firstOff(xs) {
    const all = cut(xs);
    for (let i = 0; i < all.length; i++) {
      try { lift(all[i]); } catch { return i; }
    }
    return -1;
  },
  multiply(scalar, xs, secret) {
    const k = BigInt("0x" + scalar);
    return joined(cut(xs).map(x => times(lift(x), k, secret)));
  },
  multiplyPairs(scalars, xs, secret) {
    const ks = cut(scalars);
    return joined(cut(xs).map((x, i) => times(lift(x), BigInt("0x" + ks[i]), secret)));
  },
  publicKey: seed => bytesToHex(ed25519.getPublicKey(hexToBytes(seed))),
  sign: (data, seed) => bytesToHex(ed25519.sign(hexToBytes(data), hexToBytes(seed))),
  verify(signature, data, key) {
    try {
      return ed25519.verify(hexToBytes(signature), hexToBytes(data), hexToBytes(key), { zip215: false });
    } catch { return false; }
  },
  scrypt: (secret, salt, N, r, p, dkLen) => bytesToHex(scrypt(hexToBytes(secret), hexToBytes(salt), { N, r, p, dkLen })),
};
