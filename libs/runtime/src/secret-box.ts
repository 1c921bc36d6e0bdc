import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { decrypt, encrypt, KEY_BYTES, SealBroken } from './cipher';

const VERSION = 'v1:';
const MIN_SECRET_LENGTH = 32;

/** One key per purpose (RFC 5869): a leak of one reveals nothing of the other. */
const derive = (secret: string, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, 'penstock', purpose, KEY_BYTES));

/**
 * Encrypts and makes look-up hashes, all from PENSTOCK_SECRET. What it seals cannot be erased where it is kept for
 * ever: `Seals` is for that.
 */
export class SecretBox {
  readonly #sealing: Buffer;
  readonly #hashing: Buffer;

  /** @throws RangeError when the secret has fewer than 32 characters. */
  constructor(secret: string) {
    if (secret.length < MIN_SECRET_LENGTH)
      throw new RangeError(`the secret must have ${MIN_SECRET_LENGTH} characters or more`);
    this.#sealing = derive(secret, 'seal');
    this.#hashing = derive(secret, 'keyed-hash');
  }

  /**
   * The same text gives another result each time.
   *
   * @param context what the secret belongs to (such as a workspace's id): it opens only with the same one.
   * @returns `v1:` and base64url of nonce, ciphertext and tag.
   */
  seal(plain: string, context: string): string {
    return VERSION + encrypt(this.#sealing, plain, context);
  }

  /** @throws SealBroken unless {@link seal} made the text with this secret and this context. */
  open(sealed: string, context: string): string {
    if (!sealed.startsWith(VERSION)) throw new SealBroken();
    return decrypt(this.#sealing, sealed.slice(VERSION.length), context).toString('utf8');
  }

  /** HMAC-SHA-256 in base64url, 43 characters: finds a key in a table that does not hold the key. */
  keyedHash(text: string): string {
    return createHmac('sha256', this.#hashing).update(text).digest('base64url');
  }
}

/** Compares in constant time; the lengths are not hidden. */
export const constantTimeEqual = (one: string, other: string): boolean => {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
};
