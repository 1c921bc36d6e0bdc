import type { Json } from '../json';
import type { JsonReader } from '../json-reader';
import type { Value } from '../value';
import { type Codec, refuseNext } from './codec';
import { Fault } from './fault';

const EXPECTED = 'true or false';

export const booleanCodec: Codec = {
  read(reader: JsonReader) {
    reader.peek();
    if (reader.literal('true')) return true;
    return reader.literal('false') ? false : refuseNext(reader, EXPECTED);
  },
  decode: (json: Json) => (typeof json === 'boolean' ? json : Fault.of(`must be ${EXPECTED}`)),
  check: (value: Value) =>
    typeof value === 'boolean' ? undefined : Fault.of(`must be ${EXPECTED}`),
  encode: (value: Value) => (value === true ? 'true' : 'false'),
  text: (value: Value) => (value === true ? 'true' : 'false'),
  toJson: (value: Value) => value as boolean,
};
