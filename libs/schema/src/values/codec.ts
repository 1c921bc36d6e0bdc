import type { Json } from '../json';
import type { JsonReader } from '../json-reader';
import { skipJson } from '../skip-json';
import type { Value } from '../value';
import { Fault } from './fault';

/**
 * How the values of one type are read, checked and written. Compiled once per type, then used for every value:
 * nothing here looks at the type again. Faults are values, so that one pass finds all of them.
 */
export interface Codec {
  /** Straight from a text: consumes the value that stands next, be it good or not. */
  read(reader: JsonReader): Value | Fault;
  decode(json: Json): Value | Fault;
  /** Whether a value in memory is of the type and meets its constraints. */
  check(value: Value): Fault | undefined;
  /** The JSON text of a checked value. */
  encode(value: Value): string;
  /** The same without quotes around it. */
  text(value: Value): string;
  toJson(value: Value): Json;
}

/** Passes over a value that is not what it should be. */
export const refuseNext = (reader: JsonReader, expected: string): Fault => {
  skipJson(reader);
  return Fault.of(`must be ${expected}`);
};
