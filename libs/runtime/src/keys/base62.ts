import { randomBytes } from 'node:crypto';

/** The digits of base 62, by value. Source: the key format of the API document. */
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** The largest multiple of 62 in a byte: bytes from here on would favour the first digits. */
const UNBIASED_BELOW = 248;

/** Characters drawn from a secure source, each of the 62 as likely as any other. */
export const randomBase62 = (length: number): string => {
  let text = '';
  while (text.length < length)
    for (const byte of randomBytes(length - text.length))
      if (byte < UNBIASED_BELOW) text += DIGITS.charAt(byte % DIGITS.length);
  return text;
};

/** @param value a whole number, 0 or more. @returns its digits, zeros in front up to `length`. */
export const toBase62 = (value: number, length: number): string => {
  let text = '';
  for (let rest = value; rest > 0; rest = Math.floor(rest / DIGITS.length))
    text = DIGITS.charAt(rest % DIGITS.length) + text;
  return text.padStart(length, '0');
};
