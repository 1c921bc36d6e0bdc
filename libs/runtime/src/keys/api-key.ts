import { crc32 } from 'node:zlib';
import { randomBase62, toBase62 } from './base62';

const PREFIX = 'pk_';
const RANDOM_LENGTH = 34;
const CHECK_LENGTH = 6;

/** CRC-32 (IEEE) is at most 2^32 - 1, which is 6 digits of base 62. */
const checkOf = (random: string): string => toBase62(crc32(random), CHECK_LENGTH);

/** A new secret: `pk_`, 34 random base62 characters, and their check sum, so that a typo needs no look-up. */
export const newApiKey = (): string => {
  const random = randomBase62(RANDOM_LENGTH);
  return `${PREFIX}${random}${checkOf(random)}`;
};

/** Whether the text can be a key that {@link newApiKey} made: its alphabet, length and check sum. */
export const isApiKeyForm = (text: string): boolean => {
  if (!/^pk_[0-9A-Za-z]{40}$/.test(text)) return false;
  const checkAt = PREFIX.length + RANDOM_LENGTH;
  return checkOf(text.slice(PREFIX.length, checkAt)) === text.slice(checkAt);
};

/**
 * What an operator may set as the first key: {@link isApiKeyForm}, or 32 to 128 URL-safe characters of another form.
 */
export const isBootstrapKeyForm = (text: string): boolean =>
  text.startsWith(PREFIX) ? isApiKeyForm(text) : /^[A-Za-z0-9._~-]{32,128}$/.test(text);

const WRITE_KEY_LENGTH = 32;

/** A new event write key: 32 base62 characters, 190 bits. */
export const newWriteKey = (): string => randomBase62(WRITE_KEY_LENGTH);
