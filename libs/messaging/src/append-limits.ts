import { MAX_KEY_BYTES, MAX_VALUE_BYTES, type NewMessage } from './message-log';

/** UTF-8 takes at most three bytes for a UTF-16 unit: most texts need not be measured. */
const isLongerThan = (text: string, maxBytes: number): boolean =>
  text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes;

/** @throws RangeError when the key or the value is beyond what the port takes; names neither. */
export const checkLimits = ({ key, value }: NewMessage): void => {
  if (isLongerThan(key, MAX_KEY_BYTES))
    throw new RangeError(`a key has more than ${MAX_KEY_BYTES} bytes`);
  if (key.includes('\0')) throw new RangeError('a key holds a NUL character');
  if (value === null) return;
  if (isLongerThan(value, MAX_VALUE_BYTES))
    throw new RangeError(`a value has more than ${MAX_VALUE_BYTES} bytes`);
  if (value.includes('\0')) throw new RangeError('a value holds a NUL character');
};
