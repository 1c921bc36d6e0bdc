import { crc32 } from 'node:zlib';
import type { LogRecord } from '@penstock/messaging';
import type { RecordMark } from '../store/changes';

/** Offset, time and checksum by which a record is recognised. */
export const markOf = ({ offset, timestampMs, value }: LogRecord): RecordMark => ({
  offset,
  timestampMs,
  crc: crc32(value ?? ''),
});
