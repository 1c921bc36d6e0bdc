import { MARK, TAGS } from '../values/tagged';

/** Version of the format: the first byte that the pinned engine writes. */
const VERSION = 28;
/** Bytes of the version and of the checksum after it, which only guards against accidents. */
const PREAMBLE_BYTES = 5;
const TEXT_NAME = 1;
/** Names that the engine itself uses are written as numbers: six bits in this byte, the remaining bits after it. */
const OWN_NAME = 0x80;
const OWN_NAME_GOES_ON = 0x40;
const OWN_NAME_BITS = 6;
const INDEX_NAME = 1;
const MAX_DEPTH = 100;

const FORM = {
  null: 1,
  undefined: 2,
  false: 3,
  true: 4,
  integer: 5,
  float: 6,
  string: 7,
  object: 8,
  array: 9,
  bigint: 10,
  date: 18,
} as const;

/** A form that cannot be converted directly. */
class OtherForm extends Error {
  override readonly name = 'OtherForm';
}

const tagged = (tag: string, text: string): string => JSON.stringify(MARK + tag + text);

const numberText = (value: number): string =>
  Number.isFinite(value) ? String(value) : tagged(TAGS.float, String(value));

/** Maximal number of cached names. */
const MAX_LABELS = 10_000;
const MAX_KEPT_NAME_LENGTH = 100;

/** Copies a name, since a substring keeps its whole parent string in memory. */
const copyOf = (name: string): string => Buffer.from(name, 'utf16le').toString('utf16le');

/**
 * Converts the output of QuickJS' `JS_WriteObject` into the JSON text that the host expects of a result. This is faster
 * than the engine's JSON writer, which examines each character of a string.
 */
export class WrittenResults {
  /** Names of members as JSON with their colons, by name. */
  private readonly labels = new Map<string, string>();

  /** @param nameOf returns the names that the engine itself uses, by number. */
  constructor(private readonly nameOf: (atom: number) => string) {}

  /**
   * @returns undefined for a value that the guest must encode itself: other kinds of objects, a Map, names that are
   *   indexes, nesting that is too deep.
   */
  textOf(bytes: Buffer): string | undefined {
    if (bytes[0] !== VERSION) return undefined;
    try {
      return new WrittenResult(bytes, this.nameOf, (name) => this.labelOf(name)).text();
    } catch (error) {
      if (error instanceof OtherForm) return undefined;
      throw error;
    }
  }

  private labelOf(name: string): string {
    const known = this.labels.get(name);
    if (known !== undefined) return known;
    const label = `${JSON.stringify(name)}:`;
    if (name.length > MAX_KEPT_NAME_LENGTH) return label;
    if (this.labels.size >= MAX_LABELS) this.labels.clear();
    this.labels.set(copyOf(name), label);
    return label;
  }
}

class WrittenResult {
  private at = PREAMBLE_BYTES;
  /** The bytes as latin1, one character each: substrings are cheaper than slices of the bytes. */
  private readonly latin: string;
  private readonly labels: string[] = [];

  constructor(
    private readonly bytes: Buffer,
    private readonly nameOf: (atom: number) => string,
    private readonly labelOf: (name: string) => string,
  ) {
    this.latin = bytes.toString('latin1');
  }

  text(): string {
    for (let left = this.unsigned(); left > 0; left -= 1)
      this.labels.push(this.labelOf(this.name()));
    return this.value(this.byte(), 0);
  }

  private name(): string {
    const form = this.byte();
    if (form === TEXT_NAME) return this.textName();
    if (form < OWN_NAME) throw new OtherForm();
    const low = form & (OWN_NAME_GOES_ON - 1);
    const high = (form & OWN_NAME_GOES_ON) === 0 ? 0 : this.unsigned();
    return this.nameOf(low | (high << OWN_NAME_BITS));
  }

  /** Refuses names that may be indexes: JavaScript orders them first, but they are not first here. */
  private textName(): string {
    const name = this.string();
    if (/^\d/.test(name)) throw new OtherForm();
    return name;
  }

  private value(form: number, depth: number): string {
    switch (form) {
      case FORM.string:
        return this.quoted();
      case FORM.integer:
        return String(this.integer());
      case FORM.object:
        return this.object(depth);
      case FORM.array:
        return this.array(depth);
      case FORM.float:
        return numberText(this.float());
      case FORM.null:
      case FORM.undefined:
        return 'null';
      case FORM.true:
        return 'true';
      case FORM.false:
        return 'false';
      case FORM.bigint:
        return tagged(TAGS.integer, this.bigint().toString());
      case FORM.date:
        return this.date();
      default:
        throw new OtherForm();
    }
  }

  private object(depth: number): string {
    if (depth > MAX_DEPTH) throw new OtherForm();
    let text = '';
    for (let left = this.unsigned(); left > 0; left -= 1) {
      const label = this.label();
      const form = this.byte();
      if (form !== FORM.undefined) text += (text && ',') + label + this.value(form, depth + 1);
    }
    return `{${text}}`;
  }

  private array(depth: number): string {
    if (depth > MAX_DEPTH) throw new OtherForm();
    let text = '';
    for (let left = this.unsigned(); left > 0; left -= 1)
      text += (text && ',') + this.value(this.byte(), depth + 1);
    return `[${text}]`;
  }

  private label(): string {
    const name = this.unsigned();
    const label = (name & 1) === INDEX_NAME ? undefined : this.labels[(name >>> 1) - 1];
    if (label === undefined) throw new OtherForm();
    return label;
  }

  private quoted(): string {
    const text = this.string();
    return text.startsWith(MARK) ? tagged(TAGS.text, text) : JSON.stringify(text);
  }

  private string(): string {
    const head = this.unsigned();
    const start = this.at;
    const wide = (head & 1) === 1;
    this.at += (head >>> 1) * (wide ? 2 : 1);
    return wide ? this.bytes.toString('utf16le', start, this.at) : this.latin.slice(start, this.at);
  }

  private integer(): number {
    const value = this.unsigned();
    return (value >>> 1) ^ -(value & 1);
  }

  private float(): number {
    if (this.at + 8 > this.bytes.length) throw new OtherForm();
    const value = this.bytes.readDoubleLE(this.at);
    this.at += 8;
    return value;
  }

  /** Reads two's complement, little-endian. */
  private bigint(): bigint {
    const length = this.unsigned();
    if (length === 0) return 0n;
    const digits = Buffer.from(this.bytes.subarray(this.at, this.at + length)).reverse();
    this.at += length;
    return BigInt.asIntN(length * 8, BigInt(`0x${digits.toString('hex')}`));
  }

  private date(): string {
    const form = this.byte();
    const time = form === FORM.integer ? this.integer() : form === FORM.float ? this.float() : NaN;
    return Number.isNaN(time)
      ? tagged(TAGS.foreign, 'an invalid Date')
      : tagged(TAGS.moment, new Date(time).toISOString());
  }

  private byte(): number {
    const byte = this.bytes[this.at++];
    if (byte === undefined) throw new OtherForm();
    return byte;
  }

  /** Reads LEB128 of up to 32 bits. */
  private unsigned(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.byte();
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
    throw new OtherForm();
  }
}
