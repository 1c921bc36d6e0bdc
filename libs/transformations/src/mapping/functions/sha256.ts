import { createHash } from 'node:crypto';
import { textFunction } from './text-function';

/** Hashes the UTF-8 text, unchanged, to 64 lower-case hexadecimal digits. */
export const SHA256 = textFunction((text) => createHash('sha256').update(text).digest('hex'));
