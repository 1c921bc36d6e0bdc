import { type Issue, pointer } from '../issue';
import { isJsonArray, isJsonObject, type Json, JsonNumber, type JsonObject } from '../json';
import { UNCLEAN } from '../json-reader';

const INTEGER = /^-?\d+$/;

/**
 * One JSON object of the type notation while it is read. Whatever is wrong is noted at its key and reading
 * goes on with a stand-in, so that one pass finds everything; nothing read counts once an issue is noted.
 */
export class Notation {
  private constructor(
    private readonly members: JsonObject,
    private readonly path: string,
    private readonly issues: Issue[],
  ) {}

  /** Notes an issue, and gives nothing, when the JSON is not an object. */
  static open(json: Json | undefined, path: string, issues: Issue[]): Notation | undefined {
    if (isJsonObject(json)) return new Notation(json, path, issues);
    issues.push({ path, message: json === undefined ? 'is required' : 'must be an object' });
    return undefined;
  }

  has(key: string): boolean {
    return this.members.has(key);
  }

  get(key: string): Json | undefined {
    return this.members.get(key);
  }

  pathOf(key: string, index?: number): string {
    return this.path + (index === undefined ? pointer(key) : pointer(key, index));
  }

  refuse(key: string, message: string, index?: number): undefined {
    this.issues.push({ path: this.pathOf(key, index), message });
  }

  /** Refuses every key that is not listed. */
  allowOnly(keys: readonly string[], of: string): void {
    for (const key of this.members.keys())
      if (!keys.includes(key)) this.refuse(key, `is not a key of ${of}`);
  }

  flag(key: string): boolean {
    const value = this.get(key);
    if (value !== undefined && typeof value !== 'boolean')
      this.refuse(key, 'must be true or false');
    return value === true;
  }

  text(key: string): string | undefined {
    return this.has(key) ? this.cleanText(this.get(key), key) : undefined;
  }

  /** An array of at least one string. */
  texts(key: string): string[] | undefined {
    const values = this.get(key);
    if (values === undefined) return undefined;
    if (!isJsonArray(values)) return this.refuse(key, 'must be an array of strings');
    if (values.length === 0) this.refuse(key, 'must have at least one element');
    return values.map((value, index) => this.cleanText(value, key, index) ?? '');
  }

  /** A required array of at least one object; undefined in the place of what is none. */
  requiredObjects(key: string): (Notation | undefined)[] {
    const elements = this.get(key);
    if (!isJsonArray(elements) || elements.length === 0)
      this.refuse(
        key,
        `${elements === undefined ? 'is required' : 'must be'}: an array with elements`,
      );
    if (!isJsonArray(elements)) return [];
    return elements.map((json, index) => Notation.open(json, this.pathOf(key, index), this.issues));
  }

  /** The text of a JSON number. */
  number(key: string): string | undefined {
    const value = this.get(key);
    if (value === undefined) return undefined;
    return value instanceof JsonNumber ? value.text : this.refuse(key, 'must be a number');
  }

  /** A plain integer literal, both ends included. */
  integer(key: string, minimum: bigint, maximum: bigint): bigint | undefined {
    const value = this.get(key);
    if (value === undefined) return undefined;
    if (!(value instanceof JsonNumber) || !INTEGER.test(value.text))
      return this.refuse(key, 'must be an integer, written without fraction and exponent');
    const integer = BigInt(value.text);
    if (integer >= minimum && integer <= maximum) return integer;
    return this.refuse(key, `must be between ${minimum} and ${maximum}`);
  }

  smallInteger(key: string, minimum: number, maximum: number): number | undefined {
    const integer = this.integer(key, BigInt(minimum), BigInt(maximum));
    return integer === undefined ? undefined : Number(integer);
  }

  /** A required integer out of few; reading goes on with `standIn`. */
  requiredChoice<Choice extends number>(
    key: string,
    choices: readonly Choice[],
    standIn: Choice,
  ): Choice {
    const value = this.get(key);
    const text = value instanceof JsonNumber ? value.text : '';
    const choice = choices.find((each) => String(each) === text);
    if (choice === undefined)
      this.refuse(key, `${value === undefined ? 'is required' : 'must be'}: ${choices.join(', ')}`);
    return choice ?? standIn;
  }

  private cleanText(value: Json | undefined, key: string, index?: number): string | undefined {
    if (typeof value !== 'string') return this.refuse(key, 'must be a string', index);
    if (UNCLEAN.test(value))
      return this.refuse(key, 'must not hold NUL or half of a surrogate pair', index);
    return value;
  }
}
