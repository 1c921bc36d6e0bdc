import { MAX_KEY_BYTES, MAX_VALUE_BYTES, type NewMessage } from './message-log';

/**
 * Whether a text exceeds the limit. UTF-8 takes at most three bytes per UTF-16 unit, so most texts need not be
 * measured.
 */
const isLongerThan = (text: string, maxBytes: number): boolean =>
  text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes;

/** Checks a message against the limits of the port. @throws RangeError that contains neither key nor value. */
export const checkLimits = ({ key, value }: NewMessage): void => {
  if (isLongerThan(key, MAX_KEY_BYTES))
    throw new RangeError(`a key has more than ${MAX_KEY_BYTES} bytes`);
  if (key.includes('\0')) throw new RangeError('a key holds a NUL character');
  if (value === null) return;
  if (isLongerThan(value, MAX_VALUE_BYTES))
    throw new RangeError(`a value has more than ${MAX_VALUE_BYTES} bytes`);
  if (value.includes('\0')) throw new RangeError('a value holds a NUL character');
};
