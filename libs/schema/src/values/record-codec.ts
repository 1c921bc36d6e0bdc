import { Invalid } from '../issue';
import type { Json } from '../json';
import { JsonReader } from '../json-reader';
import { JsonSyntaxError } from '../json-syntax-error';
import type { Schema } from '../type';
import type { RecordValue, Value } from '../value';
import type { Codec } from './codec';
import { codecOf, type DecodeOptions } from './codec-of';
import { Fault } from './fault';

/** Reads and writes the records of one schema. Every method throws {@link Invalid} with every issue, located. */
export interface RecordCodec {
  decode(json: Json): RecordValue;
  /**
   * Straight from a JSON text, without a tree in between. Values of kind json and long strings may be slices
   * that keep the whole text in memory.
   */
  parse(text: string): RecordValue;
  /** Compact JSON, members in the order of the schema. Which members must be there is not looked at. */
  encode(record: RecordValue): string;
}

/** Compiles a schema once, for all its records. */
export const compileCodec = (schema: Schema, options?: DecodeOptions): RecordCodec => {
  const codec = codecOf(schema, options);
  return {
    decode: (json) => accepted(codec.decode(json)),
    parse: (text) => accepted(read(codec, new JsonReader(text))),
    encode: (record) => {
      const fault = codec.check(record);
      if (fault) throw new Invalid(fault.issues);
      return codec.encode(record);
    },
  };
};

const read = (codec: Codec, reader: JsonReader): Value | Fault => {
  try {
    const value = codec.read(reader);
    reader.end();
    return value;
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new Invalid([{ path: error.path, message: `is not JSON: ${error.message}` }]);
  }
};

/** The codec of a schema gives records only. */
const accepted = (value: Value | Fault): RecordValue => {
  if (value instanceof Fault) throw new Invalid(value.issues);
  return value as RecordValue;
};
