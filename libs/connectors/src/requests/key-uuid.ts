import { hash } from 'node:crypto';

/**
 * An idempotency key in the form that vendors take: a UUID of version 8 (RFC 9562, 5.8), always the same one
 * for the same key.
 */
export const keyUuid = (idempotencyKey: string): string => {
  const digits = hash('sha256', idempotencyKey, 'hex');
  const variant = ((parseInt(digits.charAt(16), 16) & 0b0011) | 0b1000).toString(16);
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `8${digits.slice(13, 16)}`,
    `${variant}${digits.slice(17, 20)}`,
    digits.slice(20, 32),
  ].join('-');
};
