import { type Json, JsonNumber } from '../json';
import { type JsonReader, QUOTE } from '../json-reader';
import type { Value } from '../value';
import { type Codec, refuseNext } from './codec';
import { Fault } from './fault';

const MINUS = 0x2d;
const DIGIT_ZERO = 0x30;
const DIGIT_NINE = 0x39;

/** What is special about the values of a kind that is written as one JSON number or string. */
export interface Scalar<V extends number | bigint | string> {
  /** What a value must be, after "must be". */
  readonly expected: string;
  /** From the content of a JSON string; undefined when it does not hold a value. Absent: no strings. */
  readonly fromString?: (text: string) => V | undefined;
  /** From the text of a JSON number. Absent: no numbers. */
  readonly fromNumber?: (text: string) => V | undefined;
  /** Whether a value in memory has the form of the kind. */
  readonly is: (value: Value) => value is V;
  /** What a constraint of the type has against a value. */
  readonly refuse: (value: V) => string | undefined;
  readonly text: (value: V) => string;
  /** Whether a value is written as a JSON string. Its text needs no escapes. */
  readonly isQuoted: (value: V) => boolean;
}

/** Reads, checks and writes scalars by what is special about them. */
export class ScalarCodec<V extends number | bigint | string> implements Codec {
  constructor(private readonly scalar: Scalar<V>) {}

  read(reader: JsonReader): Value | Fault {
    const { fromString, fromNumber, expected } = this.scalar;
    const code = reader.peek();
    if (code === QUOTE && fromString) return this.accept(fromString(reader.string()));
    const isNumber = code === MINUS || (code >= DIGIT_ZERO && code <= DIGIT_NINE);
    if (isNumber && fromNumber) return this.accept(fromNumber(reader.number()));
    return refuseNext(reader, expected);
  }

  decode(json: Json): Value | Fault {
    const { fromString, fromNumber } = this.scalar;
    if (typeof json === 'string') return this.accept(fromString?.(json));
    return this.accept(json instanceof JsonNumber ? fromNumber?.(json.text) : undefined);
  }

  check(value: Value): Fault | undefined {
    const accepted = this.accept(this.scalar.is(value) ? value : undefined);
    return accepted instanceof Fault ? accepted : undefined;
  }

  encode(value: Value): string {
    const text = this.text(value);
    return this.scalar.isQuoted(value as V) ? `"${text}"` : text;
  }

  text(value: Value): string {
    return this.scalar.text(value as V);
  }

  toJson(value: Value): Json {
    const text = this.text(value);
    return this.scalar.isQuoted(value as V) ? text : new JsonNumber(text);
  }

  private accept(value: V | undefined): V | Fault {
    if (value === undefined) return Fault.of(`must be ${this.scalar.expected}`);
    const refusal = this.scalar.refuse(value);
    return refusal === undefined ? value : Fault.of(refusal);
  }
}
