import { compileCodec, type RecordCodec, type Schema } from '@penstock/schema';
import type { OutgoingEvent } from '../connector/event-destination';

const codecs = new WeakMap<Schema, RecordCodec>();

/** JSON text of what the transformation gave; undefined without one. */
export const valuesText = ({ values, outSchema }: OutgoingEvent): string | undefined => {
  if (values === null || outSchema === null) return undefined;
  const codec = codecs.get(outSchema) ?? compileCodec(outSchema);
  codecs.set(outSchema, codec);
  return codec.encode(values);
};
