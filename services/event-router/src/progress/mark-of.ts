import { crc32 } from 'node:zlib';
import type { LogRecord } from '@penstock/messaging';
import type { RecordMark } from '../store/changes';

/** By what a record is known again. */
export const markOf = ({ offset, timestampMs, value }: LogRecord): RecordMark => ({
  offset,
  timestampMs,
  crc: crc32(value ?? ''),
});
