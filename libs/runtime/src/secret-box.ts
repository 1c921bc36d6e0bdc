import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

const VERSION = 'v1:';
const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
/** Random per text; NIST SP 800-38D allows 2^32 of them under one key. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const MIN_SECRET_LENGTH = 32;

/** One key per purpose (RFC 5869): a leak of one says nothing about the other. */
const derive = (secret: string, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, 'penstock', purpose, KEY_BYTES));

/** Cannot be opened: sealed under another secret or for another context, or changed since. */
export class SealBroken extends Error {
  override readonly name = 'SealBroken';
  constructor(options?: ErrorOptions) {
    super(
      'a sealed value cannot be opened: PENSTOCK_SECRET is another one, or it is damaged',
      options,
    );
  }
}

/** Encrypts secrets at rest and makes look-up hashes, all from PENSTOCK_SECRET. */
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
   * AES-256-GCM. The same text gives another result each time.
   *
   * @param context what the secret belongs to (such as a connection's id): it opens only with the same one.
   * @returns `v1:` and base64url of nonce, ciphertext and tag.
   */
  seal(plain: string, context: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#sealing, nonce).setAAD(Buffer.from(context));
    const sealed = [nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()];
    return VERSION + Buffer.concat(sealed).toString('base64url');
  }

  /** @throws SealBroken unless {@link seal} made the text with this secret and this context. */
  open(sealed: string, context: string): string {
    const bytes = Buffer.from(sealed.slice(VERSION.length), 'base64url');
    if (!sealed.startsWith(VERSION) || bytes.length < NONCE_BYTES + TAG_BYTES)
      throw new SealBroken();
    const [nonce, tag] = [bytes.subarray(0, NONCE_BYTES), bytes.subarray(-TAG_BYTES)];
    try {
      const decipher = createDecipheriv(CIPHER, this.#sealing, nonce, { authTagLength: TAG_BYTES });
      decipher.setAAD(Buffer.from(context)).setAuthTag(tag);
      const plain = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
      return Buffer.concat([plain, decipher.final()]).toString('utf8');
    } catch (cause) {
      throw new SealBroken({ cause });
    }
  }

  /** HMAC-SHA-256 in base64url, 43 characters: finds a key in a table that does not hold the key. */
  keyedHash(text: string): string {
    return createHmac('sha256', this.#hashing).update(text).digest('base64url');
  }
}

/** Compares without telling by its duration where texts differ; their lengths are not hidden. */
export const constantTimeEqual = (one: string, other: string): boolean => {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
};
