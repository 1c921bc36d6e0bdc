import type { Json } from '../json';
import { type JsonReader, QUOTE, UNCLEAN } from '../json-reader';
import { codePointLength } from '../texts/code-points';
import { compilePattern } from '../texts/pattern';
import type { StringType } from '../type';
import type { Value } from '../value';
import { writeJsonString } from '../write-json';
import { type Codec, refuseNext } from './codec';
import { Fault } from './fault';

/** UTF-8 bytes that one UTF-16 unit takes at most. */
const MAX_BYTES_PER_UNIT = 3;

/** What a constraint has against a text. */
type Constraint = (text: string) => string | undefined;

const EXPECTED = 'a string';
const CLEAN = 'must not hold NUL or half of a surrogate pair';

export class StringCodec implements Codec {
  private readonly constraints: readonly Constraint[];

  constructor(type: StringType) {
    this.constraints = constraintsOf(type);
  }

  read(reader: JsonReader): Value | Fault {
    if (reader.peek() !== QUOTE) return refuseNext(reader, EXPECTED);
    reader.forget();
    const text = reader.string();
    return reader.unclean ? Fault.of(CLEAN) : (this.refuse(text) ?? text);
  }

  decode(json: Json): Value | Fault {
    if (typeof json !== 'string') return Fault.of(`must be ${EXPECTED}`);
    return this.check(json) ?? json;
  }

  check(value: Value): Fault | undefined {
    if (typeof value !== 'string') return Fault.of(`must be ${EXPECTED}`);
    return UNCLEAN.test(value) ? Fault.of(CLEAN) : this.refuse(value);
  }

  encode(value: Value): string {
    return writeJsonString(value as string);
  }

  text(value: Value): string {
    return value as string;
  }

  toJson(value: Value): Json {
    return value as string;
  }

  private refuse(text: string): Fault | undefined {
    for (const constraint of this.constraints) {
      const refusal = constraint(text);
      if (refusal !== undefined) return Fault.of(refusal);
    }
    return undefined;
  }
}

const constraintsOf = ({ values, pattern, maxLength, maxByteLength }: StringType): Constraint[] => [
  ...(values ? [oneOf(values)] : []),
  ...(pattern !== undefined ? [matching(pattern)] : []),
  ...(maxLength !== undefined ? [withinCodePoints(maxLength)] : []),
  ...(maxByteLength !== undefined ? [withinBytes(maxByteLength)] : []),
];

const oneOf = (values: readonly string[]): Constraint => {
  const set = new Set(values);
  const message = `must be one of: ${values.map(writeJsonString).join(', ')}`;
  return (text) => (set.has(text) ? undefined : message);
};

const matching = (source: string): Constraint => {
  const pattern = compilePattern(source);
  return (text) => (pattern.test(text) ? undefined : `must match the pattern ${source}`);
};

const withinCodePoints =
  (most: number): Constraint =>
  (text) =>
    text.length <= most || codePointLength(text) <= most
      ? undefined
      : `must have at most ${most} characters`;

const withinBytes =
  (most: number): Constraint =>
  (text) =>
    text.length * MAX_BYTES_PER_UNIT <= most || Buffer.byteLength(text) <= most
      ? undefined
      : `must have at most ${most} bytes in UTF-8`;
