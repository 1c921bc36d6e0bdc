import { hash } from 'node:crypto';

/** Hexadecimal digits of a UUID, which PostgreSQL accepts without dashes. */
const DIGITS = 32;

/**
 * The key by which duplicates are found: a hash of the order key (which begins with the source's id) and message id.
 */
export const messageHash = (orderKey: string, messageId: string): string =>
  hash('sha256', `${orderKey}\0${messageId}`, 'hex').slice(0, DIGITS);
