import { createHash } from 'node:crypto';
import { textFunction } from './text-function';

/** 64 lower-case hexadecimal digits of the hash of the UTF-8 text, as it is. */
export const SHA256 = textFunction((text) => createHash('sha256').update(text).digest('hex'));
