import { Refusal } from '@penstock/contracts';
import type { StreamAppend } from '@penstock/event-sourcing';
import { MAX_VALUE_BYTES } from '@penstock/messaging';

/** Bytes for the other members of a record: position, stream, time, request. */
const FRAME_BYTES = 10_000;
const MAX_BYTES = MAX_VALUE_BYTES - FRAME_BYTES;

const bytesOf = (value: object): number => Buffer.byteLength(JSON.stringify(value));

/**
 * Checks that every fact and state fits into a message: one that does not could never be published, nor any fact after
 * it. States of deleted objects pass, since they are no larger than before.
 *
 * @throws Refusal BadRequest
 */
export const checkSize = (streams: readonly StreamAppend[]): void => {
  for (const { data, state } of streams.flatMap(({ facts }) => facts)) {
    const isDeleted = 'deleted' in state && state.deleted === true;
    if (!isDeleted && Math.max(bytesOf(data), bytesOf(state)) > MAX_BYTES)
      throw new Refusal('BadRequest', {
        details: [{ path: '', message: `is larger than ${String(MAX_BYTES)} bytes when recorded` }],
      });
  }
};
