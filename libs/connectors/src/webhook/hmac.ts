import { createHmac, timingSafeEqual } from 'node:crypto';

/** Whether a text is the hex HMAC of a body; takes the same time whether or not it is. */
export const isHmacOf = (
  signature: string,
  body: Uint8Array | string,
  algorithm: 'sha1' | 'sha256',
  secret: string,
): boolean => {
  const expected = createHmac(algorithm, secret).update(body).digest();
  const given = Buffer.from(signature, 'hex');
  return (
    signature.length === expected.length * 2 &&
    given.length === expected.length &&
    timingSafeEqual(given, expected)
  );
};
