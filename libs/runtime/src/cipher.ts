import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
export const KEY_BYTES = 32;
/** Random per text; NIST SP 800-38D allows 2^32 of them under one key. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Cannot be opened: sealed under another secret or for another context, or changed since. */
export class SealBroken extends Error {
  override readonly name: string = 'SealBroken';
  constructor(
    message = 'a sealed value cannot be opened: PENSTOCK_SECRET is another one, or it is damaged',
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/**
 * AES-256-GCM. The same text gives another result each time.
 *
 * @param context authenticated with it: it opens only with the same one.
 * @returns base64url of nonce, ciphertext and tag.
 */
export const encrypt = (key: Buffer, plain: string | Buffer, context: string): string => {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(context));
  const sealed = [nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()];
  return Buffer.concat(sealed).toString('base64url');
};

/** @throws SealBroken unless {@link encrypt} made the text with this key and this context. */
export const decrypt = (key: Buffer, text: string, context: string): Buffer => {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length < NONCE_BYTES + TAG_BYTES) throw new SealBroken();
  const [nonce, tag] = [bytes.subarray(0, NONCE_BYTES), bytes.subarray(-TAG_BYTES)];
  try {
    const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(context)).setAuthTag(tag);
    return Buffer.concat([
      decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)),
      decipher.final(),
    ]);
  } catch (cause) {
    throw new SealBroken(undefined, { cause });
  }
};
